import { ApiError } from "#shared/errors.ts";
import { checkSecret, requireSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { readRefreshTokenId } from "./read-refresh-token-id.ts";

/**
 * Revoke a refresh token and what it stands for.
 *
 * @throws ApiError `forbidden` for a token that is none, unknown, used or another app's, and for a wrong secret;
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
  const { token, client } = await grants.findToken(refreshTokenId, request.client_id);
  if (client === undefined) throw new ApiError("not-found");
  checkSecret(client, request.client_secret, clock());
  if (token?.clientId !== client.clientId) throw new ApiError("forbidden");
  const removed = await grants.remove(token.userId, (grant) => grant.refreshTokenId === refreshTokenId);
  if (removed.length === 0) throw new ApiError("forbidden");
}

/**
 * Revoke as RFC 7009 §2.2 has it: a token that means nothing any more is no error.
 *
 * @throws ApiError `forbidden` for a wrong secret, `not-found` when the app is gone
 */
export async function revokeQuietly(
  deps: Deps,
  { client_id, client_secret, token }: { client_id: string; client_secret?: string; token: string },
  version: number,
): Promise<void> {
  const client = await deps.clients.get(client_id);
  if (client === undefined) throw new ApiError("not-found");
  checkSecret(client, client_secret, deps.clock());
  try {
    await revokeToken(deps, { client_id, client_secret, refresh_token: token }, version);
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== "forbidden") throw error;
  }
}
