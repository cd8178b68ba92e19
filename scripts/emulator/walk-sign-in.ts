import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Settings } from "#shared/registry/settings.ts";
import { newIdentityProvider, readLoginPage } from "../../test/support/saml.ts";
import type { Deployment } from "./deployment.ts";
import { type Answer, type Api, answerOf, expectStatus, step } from "./walk-steps.ts";

/** The owner of a team. */
export interface Owner {
  readonly teamId: string;
  readonly headers: { readonly authorization: string };
}

/**
 * Let an app act for a user by OAuth 2.0, and let somebody log in through an identity provider of the team, if the
 * settings allow it.
 *
 * @throws Error at the first answer that is not as expected
 */
export async function walkSignIn(
  deployment: Deployment,
  api: Api,
  owner: Owner,
  { setOAuthEnabled, sso }: Pick<Settings, "setOAuthEnabled" | "sso">,
): Promise<void> {
  if (setOAuthEnabled) {
    await step("an app gets tokens for a user, refreshes them, and reads the profile", () =>
      authorizeApp(deployment, api, owner),
    );
  }
  if (sso === "enabled-by-default") {
    await step("somebody logs in through the identity provider of the team", () =>
      logInBySaml(deployment, api, owner),
    );
  }
}

async function authorizeApp(deployment: Deployment, api: Api, { headers }: Owner) {
  const redirect_uri = "http://127.0.0.1:9999/callback";
  const order = { application_name: "Calendar", redirect_url: redirect_uri };
  const registered = await answerOf(await deployment.signedFetch("/i/oauth/clients", order));
  const { client_id } = expectStatus(registered, 200).body;
  const code_verifier = randomBytes(32).toString("base64url");
  const consent = {
    client_id,
    redirect_uri,
    response_type: "code",
    scope: "read:self",
    state: "walk",
    code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  const answer = await api("/v8/oauth/authorization/codes", { json: consent, headers });
  const location = expectStatus(answer, 201).headers.get("location") ?? "";
  const code = new URL(location).searchParams.get("code") ?? "";
  const exchange = { grant_type: "authorization_code", client_id, code, code_verifier, redirect_uri };
  const { refresh_token } = expectStatus(await postForm(deployment, "/v8/oauth/token", exchange), 200).body;
  const refresh = { grant_type: "refresh_token", client_id, refresh_token };
  const { access_token } = expectStatus(await postForm(deployment, "/v8/oauth/token", refresh), 200).body;
  expectStatus(await api("/self", { headers: { authorization: `Bearer ${access_token}` } }), 200);
}

async function logInBySaml(deployment: Deployment, api: Api, { teamId, headers }: Owner) {
  const provider = await newIdentityProvider();
  const upload = await fetch(`${deployment.publicUrl}/identity-providers?api_version=v2`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/xml" },
    body: provider.metadata(),
  });
  const { id } = expectStatus(await answerOf(upload), 201).body;
  const page = expectStatus(await api(`/sso/initiate-login/${id}`), 200).body;
  const SAMLResponse = provider.respond(readLoginPage(page), { nameId: { text: randomUUID() } });
  const answer = await postForm(deployment, `/sso/finalize-login/${teamId}`, { SAMLResponse });
  const cookie = expectStatus(answer, 200).headers.getSetCookie().join().replace(/;.*/, "");
  expectStatus(await api("/access", { method: "POST", headers: { cookie } }), 200);
}

async function postForm(
  { publicUrl }: Deployment,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer> {
  return answerOf(await fetch(`${publicUrl}${path}`, { method: "POST", body: new URLSearchParams(fields) }));
}
