import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkSecret, requireSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { readRefreshTokenId } from "./read-refresh-token-id.ts";

/**
 * Revoke a refresh token together with its grant.
 *
 * @throws ApiError `forbidden` for a malformed, unknown or used token, for another app's, and for a wrong secret;
 *   `not-found` when the app is gone
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
  if (app === undefined) throw new ApiError("not-found");
  checkSecret(app, request.client_secret, clock());
  if (token?.clientId !== app.clientId) throw new ApiError("forbidden");
  describeAudited({ actor: { kind: "app", app: app.clientId }, target: { uid: token.userId } });
  const removed = await grants.remove(token.userId, (grant) => grant.refreshTokenId === refreshTokenId);
  if (removed.length === 0) throw new ApiError("forbidden");
}

/**
 * Revoke a token as RFC 7009 §2.2 asks: an invalid token is not an error.
 *
 * @throws ApiError `forbidden` for a wrong secret, `not-found` when the app is gone
 */
export async function revokeQuietly(
  deps: Deps,
  { client_id, client_secret, token }: { client_id: string; client_secret?: string; token: string },
  version: number,
): Promise<void> {
  const app = await deps.apps.get(client_id);
  if (app === undefined) throw new ApiError("not-found");
  checkSecret(app, client_secret, deps.clock());
  try {
    await revokeToken(deps, { client_id, client_secret, refresh_token: token }, version);
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== "forbidden") throw error;
  }
}
