import * as z from "zod";
import { type App, isRegistered } from "#shared/oauth/app.ts";
import { codeChallenge } from "#shared/oauth/code-challenge.ts";
import { redirectWith } from "#shared/oauth/redirect-with.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { hasUnknownScope, parseScope } from "#shared/registry/oauth-scopes.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "./deps.ts";
import { type AuthorizationRequest, authorizationRequest } from "./routes.ts";

/** An authorization request of a registered app: from here on, responses may go to its redirect URL. */
export interface RegisteredRequest {
  readonly request: AuthorizationRequest;
  readonly app: App;
  /** Names of the parameters that are given more than once. */
  readonly repeated: readonly string[];
}

/** A request that is valid. */
export interface KnownRequest extends RegisteredRequest {
  readonly request: z.output<typeof validRequest>;
  /** The request as the query of a form's action. */
  readonly query: string;
  /** Absent unless the app signs the person in. */
  readonly signIn?: SignIn;
}

/** Parameters that are checked once the app is known. */
const validRequest = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.literal("code", "must be code"),
  scope: z.string(),
  state: z.string("is missing"),
  code_challenge: z.string("is missing").pipe(codeChallenge),
  code_challenge_method: z.literal("S256", "must be S256"),
  ui_locales: z.string().optional(),
  code_verifier: z.undefined("must not be sent here").optional(),
});

/**
 * Check that the app is registered, and that its redirect URL is exactly a registered one (RFC 9700 §2.1).
 * @throws ApiError `bad-request`, `not-found`, `redirect-url-mismatch`
 */
export async function checkApp(
  { apps }: Deps,
  { query, repeated }: { query: AuthorizationRequest; repeated: readonly string[] },
): Promise<RegisteredRequest> {
  for (const name of ["client_id", "redirect_uri"]) {
    if (repeated.includes(name))
      throw new ApiError("bad-request", { message: `query.${name}: given more than once` });
  }
  const app = await apps.get(query.client_id);
  if (app === undefined) throw new ApiError("not-found");
  if (!isRegistered(app, query.redirect_uri)) throw new ApiError("redirect-url-mismatch");
  // If there are several states, none of them can be trusted to be the app's.
  const { state: _, ...withoutState } = query;
  return { request: repeated.includes("state") ? withoutState : query, app, repeated };
}

/** Check everything else about a request. */
export function checkRequest(
  { app, request, repeated }: RegisteredRequest,
  settings: Pick<Settings, "setOAuthOpenIdEnabled">,
): KnownRequest | RequestProblem {
  const { response_type, scope } = request;
  // Unknown parameters are ignored (RFC 6749 §3.1), even repeated ones such as `resource` (RFC 8707).
  const name = Object.keys(authorizationRequest.shape).find((one) => repeated.includes(one));
  if (name !== undefined)
    return { error: "invalid_request", error_description: `${name}: given more than once` };
  const signsIn = parseScope(scope ?? "", settings).openId.length > 0;
  const unsupported = signsIn ? findUnsupported(request) : undefined;
  if (unsupported !== undefined) return unsupported;
  if (response_type !== undefined && response_type !== "code")
    return { error: "unsupported_response_type", error_description: "response_type: must be code" };
  if (scope === undefined) return { error: "invalid_scope", error_description: "scope: is missing" };
  const result = validRequest.safeParse(request);
  if (!result.success) {
    const [issue] = result.error.issues;
    return { error: "invalid_request", error_description: `${issue?.path.join(".")}: ${issue?.message}` };
  }
  if (hasUnknownScope(scope, settings))
    return { error: "invalid_scope", error_description: "scope: contains an unknown scope" };
  const { code_verifier: _, ui_locales, ...required } = result.data;
  const parameters = { ...required, ...(ui_locales !== undefined && { ui_locales }) };
  const known = { app, repeated, request: result.data };
  if (!signsIn) return { ...known, query: queryOf(parameters) };
  const signIn = readOpenId(request);
  if ("error" in signIn) return signIn;
  return { ...known, signIn, query: queryOf({ ...parameters, ...signIn.parameters }) };
}

/** Whether the app does not accept a login of any time. */
export const wantsFreshLogIn = ({ signIn }: KnownRequest): boolean =>
  signIn !== undefined && (signIn.prompt.has("login") || signIn.maxAgeSeconds !== undefined);

/** The query of a request after the person has logged in for it, without the parameters that required the login. */
export function queryAfterLogIn({ query, signIn }: KnownRequest): string {
  if (signIn === undefined) return query;
  const parameters = new URLSearchParams(query);
  for (const name of ["max_age", "id_token_hint", "prompt"]) parameters.delete(name);
  return parameters.toString();
}

/** `Location` of the response to the app, which names its issuer (RFC 9207). */
export function answerLocation(
  { config }: Deps,
  { request }: RegisteredRequest,
  answer: Readonly<Record<string, string>>,
): string {
  const { redirect_uri, state } = request;
  const parameters = { ...answer, ...(state !== undefined && { state }), iss: config.publicUrl };
  const location = redirectWith(redirect_uri, parameters);
  if (location === undefined) throw new ApiError("redirect-url-mismatch");
  return location;
}

const prompts = ["none", "login", "consent", "select_account"] as const;

/** How an app wants to sign a person in (OpenID Connect Core §3.1.2.1). */
interface SignIn {
  readonly nonce: string | undefined;
  readonly prompt: ReadonlySet<string>;
  readonly maxAgeSeconds: number | undefined;
  readonly loginHint: string | undefined;
  readonly idTokenHint: string | undefined;
  /** The same as parameters of the request. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** Read the parameters of requests with the scope `openid`. */
function readOpenId(request: AuthorizationRequest): SignIn | RequestProblem {
  const { nonce, prompt, max_age, login_hint, id_token_hint } = request;
  const words = new Set(prompt?.split(/\s+/).filter((word) => word !== ""));
  if (![...words].every((word) => (prompts as readonly string[]).includes(word)))
    return { error: "invalid_request", error_description: "prompt: contains an unknown word" };
  if (words.has("none") && words.size > 1)
    return { error: "invalid_request", error_description: "prompt: must be none alone" };
  if (max_age !== undefined && !/^\d+$/.test(max_age))
    return { error: "invalid_request", error_description: "max_age: must be a number of seconds" };
  return {
    nonce,
    prompt: words,
    maxAgeSeconds: max_age === undefined ? undefined : Number(max_age),
    loginHint: login_hint,
    idTokenHint: id_token_hint,
    parameters: { nonce, prompt, max_age, login_hint, id_token_hint },
  };
}

/**
 * Why a request with a signed request object is refused. Checked first, because other parameters may be absent then.
 */
function findUnsupported({ request, request_uri }: AuthorizationRequest): RequestProblem | undefined {
  if (request !== undefined)
    return { error: "request_not_supported", error_description: "request: is not supported" };
  if (request_uri !== undefined)
    return { error: "request_uri_not_supported", error_description: "request_uri: is not supported" };
  return undefined;
}

/** Why a request is refused, in the words of RFC 6749 §4.1.2.1; the app learns it by the redirect. */
export interface RequestProblem {
  readonly error: string;
  readonly error_description: string;
}

/** The query with those parameters that a request has. */
export const queryOf = (parameters: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString();
