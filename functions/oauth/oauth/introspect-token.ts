import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkSecret, invalidClient } from "./client-secret.ts";
import type { Deps } from "./deps.ts";

interface Request {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly token: string;
}

/**
 * Tell an app whether a token that it was issued is valid; other apps learn nothing about it (RFC 7662 §2.2).
 *
 * @throws ApiError `unknown-app`, `wrong-app-secret`, `invalid-client` without a secret, `jwt-error`
 * @see operation `introspect-oauth-token`
 */
export async function introspectToken(deps: Deps, { client_id, client_secret, token }: Request) {
  const app = await deps.apps.get(client_id);
  if (app === undefined) throw new ApiError("unknown-app");
  if (client_secret === undefined) throw invalidClient();
  checkSecret(app, client_secret, deps.clock());
  const found = (await ofAccessToken(deps, token)) ?? (await ofRefreshToken(deps, token));
  if (found?.client_id !== app.clientId) return { active: false };
  const account = await deps.accounts.get(found.sub);
  return account?.status === "active" ? { active: true, ...found } : { active: false };
}

async function ofAccessToken({ jwtVerifier, settings: { domain } }: Deps, token: string) {
  const required = ["sub", "exp", "iat", "scope"] as const;
  const claims = await jwtVerifier.verify("at+jwt", token, required, { issuer: domain, audience: domain });
  if (claims === undefined) return undefined;
  const { client_id, exp, iat, scope, sub = "" } = claims;
  return {
    token_type: "Bearer" as const,
    ...{ client_id: String(client_id), sub, scope: String(scope), iss: domain, aud: domain },
    ...(exp !== undefined && { exp }),
    ...(iat !== undefined && { iat }),
  };
}

async function ofRefreshToken({ clock, grants, jwtVerifier }: Deps, text: string) {
  const { sub: refreshTokenId } = (await jwtVerifier.verify("refresh+jwt", text, ["sub"])) ?? {};
  if (refreshTokenId === undefined) return undefined;
  const token = await grants.getToken(refreshTokenId);
  if (token === undefined || token.expiresAt <= clock()) return undefined;
  const grant = (await grants.ofUser(token.userId)).grants[token.grantId];
  if (grant?.refreshTokenId !== refreshTokenId) return undefined;
  const scope = [...(grant.openId?.scope ?? []), ...grant.scope].join(" ");
  return { client_id: grant.clientId, sub: token.userId, scope, exp: toSeconds(grant.expiresAt) };
}
