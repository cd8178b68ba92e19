import { AccountInactiveError } from "#shared/accounts/account-errors.ts";
import type { Grant, RefreshToken } from "#shared/oauth/grant.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkSecret, requireSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { newGrant, type SignedTokens, signTokens } from "./grant-tokens.ts";
import { readRefreshTokenId } from "./read-refresh-token-id.ts";
import { type AuthenticatedRequest, required } from "./token-request.ts";

/**
 * Issue tokens for a refresh token (RFC 6749 §6), which is used up. A token that was used before revokes the grant: the
 * successor of the token is in the hands of the app or of a thief (RFC 9700 §4.14.2). An app that repeats its last
 * refresh immediately is only refused or, if the operator allows it, gets the successor again.
 *
 * @throws ApiError `bad-request`, `wrong-app-secret`, `unusable-grant`, `unknown-app`, `jwt-error`
 */
export async function rotateRefreshToken(
  deps: Deps,
  request: AuthenticatedRequest,
  version: number,
): Promise<SignedTokens> {
  const { accounts, clock, grants, settings } = deps;
  const receivedAt = clock();
  const refreshToken = required(request, "refresh_token");
  requireSecret(request.client_secret, version);
  const refreshTokenId = await readRefreshTokenId(deps, refreshToken);
  const { token, app } = await grants.findToken(refreshTokenId, request.client_id);
  if (app !== undefined) checkSecret(app, request.client_secret, receivedAt);
  if (token === undefined || token.expiresAt <= receivedAt) throw new ApiError("unusable-grant");
  if (app === undefined) throw new ApiError("unknown-app");
  if (token.clientId !== app.clientId) {
    await grants.remove(token.userId, ({ grantId }) => grantId === token.grantId);
    throw new ApiError("unusable-grant");
  }
  const next = { ...newGrant(token, deps), previousTokenId: refreshTokenId };
  const outcome = await grants
    .rotate(token, next, accounts.requireActive(token.userId))
    .catch(answer(AccountInactiveError, "unusable-grant"));
  if (outcome === "rotated") return signTokens(deps, token.userId, next);
  if (outcome === undefined) throw new ApiError("unusable-grant");
  if (!isRepetition(deps, token, outcome, receivedAt)) await revokeOnReuse(deps, token);
  else if (settings.setOAuthRefreshTokenReuseAnswered) return answerAgain(deps, token, outcome);
  throw new ApiError("unusable-grant");
}

/**
 * Whether the app repeats its last refresh: the resulting token has not been used. Judged by when the repetition was
 * received, because a slow database must not make an app look like a thief.
 */
const isRepetition = ({ settings }: Deps, used: RefreshToken, grant: Grant, receivedAt: number) =>
  grant.previousTokenId === used.refreshTokenId &&
  receivedAt - grant.issuedAt <= settings.setOAuthRefreshTokenReuseGraceSecs * 1000;

/** Signs again the refresh token that replaced the used one, with a new access token. */
async function answerAgain(deps: Deps, { userId }: RefreshToken, grant: Grant): Promise<SignedTokens> {
  if ((await deps.accounts.get(userId))?.status !== "active") throw new ApiError("unusable-grant");
  return signTokens(deps, userId, grant);
}

async function revokeOnReuse({ grants, log, settings }: Deps, used: RefreshToken) {
  if (!settings.setOAuthRefreshTokenReuseDetection) return;
  await grants.remove(used.userId, ({ grantId }) => grantId === used.grantId);
  log.warn("refresh-token-reused", { clientId: used.clientId, grantId: used.grantId });
}
