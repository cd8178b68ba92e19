import { createHash, randomBytes, randomUUID } from "node:crypto";
import { AuthorizationCodeStore } from "#shared/oauth/authorization-code-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { type ApiAnswer, api, internalApi } from "./api.ts";
import { pageVisitor } from "./page-visitor.ts";
import { stackConfig } from "./stack-config.ts";
import { type Apis, newUser, type User } from "./users.ts";

const shared: Apis = { publicApi: api, internalApi };

/** An OAuth app; its fields have the names of the protocol. */
export interface App {
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_url: string;
}

/** Register an app, as the operator would. */
export async function newApp(
  { redirect_url = `https://app-${randomUUID()}.example.com/callback`, name = "Calendar" } = {},
  { internalApi }: Apis = shared,
): Promise<App> {
  const json = { application_name: name, redirect_url };
  const { body } = await internalApi("POST", "/i/oauth/clients", { json });
  return { client_id: body.client_id, client_secret: body.client_secret, redirect_url };
}

/** Create a code verifier and its challenge (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Parameters of an authorization request, as the app sends them. */
export const requestOf = (
  { client_id, redirect_url }: App,
  { challenge = pkce().challenge, scope = "read:self", state = "some state" } = {},
): Record<string, string> => ({
  client_id,
  redirect_uri: redirect_url,
  response_type: "code",
  scope,
  state,
  code_challenge: challenge,
  code_challenge_method: "S256",
});

/** Query of the URL that an answer redirects to. */
export const redirectQuery = ({ headers }: Pick<ApiAnswer, "headers">): URLSearchParams =>
  new URL(headers.get("location") ?? "").searchParams;

/** Let a user authorize an app. @returns the code, with the verifier that redeems it */
export async function newCode(
  app: App,
  user: Pick<User, "token">,
  { scope = "read:self" } = {},
  { publicApi }: Apis = shared,
): Promise<{ code: string; verifier: string }> {
  const { verifier, challenge } = pkce();
  const json = requestOf(app, { challenge, scope });
  const answer = await publicApi("POST", "/v8/oauth/authorization/codes", { json, token: user.token });
  return { code: redirectQuery(answer).get("code") ?? "", verifier };
}

/** A code of the shared stack that has expired a minute ago, with the verifier that belongs to it. */
export async function expiredCode(
  { client_id, redirect_url }: Pick<App, "client_id" | "redirect_url">,
  { id: userId }: Pick<User, "id">,
): Promise<{ code: string; verifier: string }> {
  const { verifier, challenge } = pkce();
  const config = stackConfig("test");
  const expiresAt = Math.floor(Date.now() / 1000) - 60;
  const code = randomBytes(32).toString("hex");
  await new AuthorizationCodeStore(storeContext({ config, clock: Date.now })).create(code, {
    userId,
    clientId: client_id,
    scope: ["read:self"],
    redirectUri: redirect_url,
    codeChallenge: challenge,
    expiresAt,
  });
  return { code, verifier };
}

/** Send a form, as the OAuth endpoints expect. */
export const postForm = (
  path: string,
  fields: Record<string, string>,
  { publicApi }: Apis = shared,
): Promise<ApiAnswer> =>
  publicApi("POST", path, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

/** Exchange a code for tokens. */
export const redeem = (
  app: App,
  { code, verifier }: { code: string; verifier: string },
  fields: Record<string, string> = {},
  apis: Apis = shared,
): Promise<ApiAnswer> =>
  postForm(
    "/v8/oauth/token",
    {
      grant_type: "authorization_code",
      client_id: app.client_id,
      code,
      code_verifier: verifier,
      redirect_uri: app.redirect_url,
      ...fields,
    },
    apis,
  );

/** Exchange a refresh token for new tokens. */
export const refresh = (
  app: Pick<App, "client_id">,
  refreshToken: string,
  fields: Record<string, string> = {},
  apis: Apis = shared,
): Promise<ApiAnswer> =>
  postForm(
    "/v8/oauth/token",
    { grant_type: "refresh_token", client_id: app.client_id, refresh_token: refreshToken, ...fields },
    apis,
  );

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope?: string;
}

/** Let a user authorize an app, and get the app's tokens. */
export async function newTokens(
  app: App,
  user: Pick<User, "token">,
  options: { scope?: string } = {},
  apis: Apis = shared,
): Promise<Tokens> {
  const answer = await redeem(app, await newCode(app, user, options, apis), {}, apis);
  if (answer.status !== 200) throw new Error(`No tokens: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Create an app and a user who authorizes it. */
export async function newAuthorization(options: { scope?: string } = {}, apis: Apis = shared) {
  const [app, user] = await Promise.all([newApp({}, apis), newUser({}, apis)]);
  return { app, user, tokens: await newTokens(app, user, options, apis) };
}

/** Let a user log in and decide on the pages. @returns where the browser is sent in the end: the URL with the response */
export async function decideOnPages(
  authorizationUrl: URL,
  { email, password }: Pick<User, "email" | "password">,
  decision: "allow" | "deny",
  stack?: { readonly publicUrl: string },
): Promise<string> {
  const { search } = authorizationUrl;
  const visitor = pageVisitor(stack);
  await visitor.open(`/authorize${search}`);
  await visitor.submit(`/authorize/login${search}`, { identity: email, password });
  const { location } = await visitor.post(`/authorize/decision${search}`, { decision });
  if (location === null) throw new Error("The pages led nowhere");
  return location;
}
