import { createHash, randomUUID } from "node:crypto";
import { AccountInactiveError } from "#shared/accounts/account-errors.ts";
import { isRegistered } from "#shared/oauth/app.ts";
import type { Grant, RefreshToken } from "#shared/oauth/grant.ts";
import { signIdToken } from "#shared/oauth/id-token.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import { checkSecret, requireSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { readRefreshTokenId } from "./read-refresh-token-id.ts";
import type { Tokens } from "./schemas.ts";
import { type AuthenticatedRequest, badRequest, required } from "./token-request.ts";

/** Tokens with their scope. */
export type SignedTokens = Omit<Tokens, "scope"> & { readonly scope: readonly string[] };

/** Create the state of a grant after a new refresh token is issued for it. */
function newGrant(
  { grantId, clientId, scope, openId }: Pick<Grant, "grantId" | "clientId" | "scope" | "openId">,
  { clock, settings }: Deps,
): Grant {
  const now = clock();
  return {
    grantId,
    clientId,
    scope,
    ...(openId && { openId }),
    refreshTokenId: randomUUID(),
    issuedAt: now,
    expiresAt: now + settings.setOAuthRefreshTokenExpirationTimeSecs * 1000,
  };
}

/**
 * Sign the tokens of an app for a grant, among them an id token if it signs the person in.
 *
 * @param nonce for the id token; absent after a refresh (OpenID Connect Core §12.2)
 * @throws ApiError `jwt-error`
 */
async function signTokens(deps: Deps, userId: string, grant: Grant, nonce?: string): Promise<SignedTokens> {
  const { clock, settings, signer } = deps;
  const openId = settings.setOAuthOpenIdEnabled ? grant.openId : undefined;
  const scope = [...(openId?.scope ?? []), ...grant.scope];
  const issuedAt = toSeconds(clock());
  const lifetime = settings.setOAuthAccessTokenExpirationTimeSecs;
  const [accessToken, refreshToken, idToken] = await Promise.all([
    signer.sign("at+jwt", {
      iss: settings.domain,
      aud: settings.domain,
      sub: userId,
      client_id: grant.clientId,
      iat: issuedAt,
      exp: issuedAt + lifetime,
      scope: scope.join(" "),
    }),
    signer.sign("refresh+jwt", { sub: grant.refreshTokenId }),
    openId && signIdToken(deps, { userId, clientId: grant.clientId, authTime: openId.authTime, nonce }),
  ]);
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: "Bearer",
    expires_in: lifetime,
    scope,
    ...(idToken !== undefined && { id_token: idToken }),
  };
}

/**
 * Issue tokens for an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5), which another app or a wrong verifier uses
 * up, too. A wrong secret or redirect URL does not, because libraries try several ways to send them.
 *
 * @throws ApiError `bad-request`, `unknown-app`, `wrong-app-secret`, `unknown-code`, `unusable-grant`,
 * `redirect-url-mismatch`, `invalid-grant`, `jwt-error`
 */
export async function redeemCode(deps: Deps, request: AuthenticatedRequest): Promise<SignedTokens> {
  const { accounts, apps, clock, codes, grants, settings } = deps;
  const redirectUri = required(request, "redirect_uri");
  const verifier = required(request, "code_verifier");
  if (!/^[\w.~-]{43,128}$/.test(verifier)) throw badRequest("code_verifier: 43 to 128 unreserved characters");
  const codeText = required(request, "code");
  const [found, app] = await Promise.all([codes.get(codeText), apps.get(request.client_id)]);
  const now = clock();
  if (app === undefined) throw new ApiError("unknown-app");
  checkSecret(app, request.client_secret, now);
  if (found === undefined || found.expiresAt <= toSeconds(now)) throw new ApiError("unknown-code");
  const isOwn = found.clientId === app.clientId;
  if (isOwn && (redirectUri !== found.redirectUri || !isRegistered(app, redirectUri)))
    throw new ApiError("redirect-url-mismatch");
  const code = await codes.take(codeText);
  if (code === undefined) throw new ApiError("unknown-code");
  if (!isOwn) throw new ApiError("unusable-grant");
  if (!isVerifierOf(code.codeChallenge, verifier)) throw new ApiError("invalid-grant");

  const { userId, clientId, scope, openId, nonce } = code;
  const grant = newGrant({ grantId: randomUUID(), clientId, scope, openId }, deps);
  const options = {
    limit: settings.setOAuthMaxActiveRefreshTokens,
    condition: accounts.requireActive(userId, code.epoch),
  };
  await grants.add(userId, grant, options).catch(answer(AccountInactiveError, "unusable-grant"));
  return signTokens(deps, userId, grant, nonce);
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  const expected = createHash("sha256").update(verifier).digest();
  return isSameSecret(Buffer.from(challenge, "base64url"), expected);
}

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
