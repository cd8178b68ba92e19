import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkSecret, requireSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { readRefreshTokenId } from "./read-refresh-token-id.ts";

/**
 * Revoke a refresh token together with its grant.
 *
 * @throws ApiError `unusable-grant` for a malformed, unknown or used token, and for another app's; `wrong-app-secret`;
 *   `unknown-app`
 * @see operation `revoke-oauth-refresh-token`
 */
export async function revokeToken(
  deps: Deps,
  request: { client_id: string; client_secret?: string; refresh_token: string },
  version: number,
): Promise<void> {
  const { clock, grants } = deps;
  requireSecret(request.client_secret, version);
  const refreshTokenId = await readRefreshTokenId(deps, request.refresh_token);
  const { token, app } = await grants.findToken(refreshTokenId, request.client_id);
  if (app === undefined) throw new ApiError("unknown-app");
  checkSecret(app, request.client_secret, clock());
  if (token?.clientId !== app.clientId) throw new ApiError("unusable-grant");
  describeAudited({ actor: { kind: "app", app: app.clientId }, target: { uid: token.userId } });
  const removed = await grants.remove(token.userId, (grant) => grant.refreshTokenId === refreshTokenId);
  if (removed.length === 0) throw new ApiError("unusable-grant");
}

/**
 * Revoke a token as RFC 7009 §2.2 asks: an invalid token is not an error. An access token is one, as it would stay valid.
 *
 * @throws ApiError `wrong-app-secret`, `unknown-app`, `unsupported-token-type`
 */
export async function revokeQuietly(
  deps: Deps,
  { client_id, client_secret, token }: { client_id: string; client_secret?: string; token: string },
  version: number,
): Promise<void> {
  const app = await deps.apps.get(client_id);
  if (app === undefined) throw new ApiError("unknown-app");
  checkSecret(app, client_secret, deps.clock());
  try {
    await revokeToken(deps, { client_id, client_secret, refresh_token: token }, version);
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== "unusable-grant") throw error;
    if (await deps.jwtVerifier.verifyAccess(token)) throw new ApiError("unsupported-token-type");
  }
}
