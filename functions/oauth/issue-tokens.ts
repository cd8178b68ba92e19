import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { toSeconds } from "#shared/clock.ts";
import type { Grant, RefreshToken } from "#shared/data/oauth/grant.ts";
import type { OAuthClient } from "#shared/data/oauth/oauth-client.ts";
import { ApiError } from "#shared/errors.ts";
import { hasSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import type { TokenRequest, Tokens } from "./schemas.ts";

/** Last version in which an app has to send its secret to refresh or revoke. */
const lastVersionWithSecret = 4;

/**
 * Tokens for an authorization code or a refresh token.
 *
 * @throws ApiError in the order of spec heading Token endpoint
 * @see operation `create-oauth-access-token`
 */
export async function issueTokens(deps: Deps, request: TokenRequest, version: number): Promise<Tokens> {
  switch (request.grant_type) {
    case "authorization_code":
      return exchangeCode(deps, request);
    case "refresh_token":
      return refresh(deps, request, version);
    default:
      throw new ApiError("forbidden", { message: "This grant type is not offered" });
  }
}

/** The code is used up whatever comes of it. */
async function exchangeCode(deps: Deps, request: TokenRequest): Promise<Tokens> {
  const { accounts, clients, clock, codes, grants, settings } = deps;
  const redirectUri = required(request, "redirect_uri");
  const verifier = required(request, "code_verifier");
  if (!/^[\w.~-]{43,128}$/.test(verifier)) throw badRequest("code_verifier: 43 to 128 unreserved characters");
  const [code, client] = await Promise.all([
    codes.take(required(request, "code")),
    clients.get(request.client_id),
  ]);
  const now = clock();
  if (code === undefined || code.expiresAt <= toSeconds(now) || client === undefined)
    throw new ApiError("not-found");
  if (code.clientId !== client.clientId) throw new ApiError("forbidden");
  checkSecret(client, request.client_secret, now);
  if (redirectUri !== code.redirectUri || redirectUri !== client.redirectUrl)
    throw new ApiError("redirect-url-mismatch");
  if (!isVerifierOf(code.codeChallenge, verifier)) throw new ApiError("invalid-grant");

  const { userId, clientId, scope } = code;
  const grant = newGrant({ grantId: randomUUID(), clientId, scope }, deps);
  await grants.add(userId, grant, {
    limit: settings.setOAuthMaxActiveRefreshTokens,
    condition: accounts.requireActive(userId),
  });
  return sign(deps, userId, grant);
}

/**
 * The refresh token is used up. One that was used before takes the grant away: either the app or a thief has the one
 * that followed it (RFC 9700 §4.14.2). An app that repeats its last refresh at once is only refused.
 */
async function refresh(deps: Deps, request: TokenRequest, version: number): Promise<Tokens> {
  const { accounts, grants } = deps;
  const refreshToken = required(request, "refresh_token");
  requireSecret(request.client_secret, version);
  const refreshTokenId = await verifiedId(deps, refreshToken);
  const { token, client } = await grants.findToken(refreshTokenId, request.client_id);
  if (client !== undefined) checkSecret(client, request.client_secret, deps.clock());
  if (token === undefined || token.expiresAt <= deps.clock()) throw new ApiError("forbidden");
  if (client === undefined) throw new ApiError("not-found");
  if (token.clientId !== client.clientId) {
    await grants.remove(token.userId, ({ grantId }) => grantId === token.grantId);
    throw new ApiError("forbidden");
  }
  const next = { ...newGrant(token, deps), previousTokenId: refreshTokenId };
  const outcome = await grants.rotate(token, next, accounts.requireActive(token.userId));
  if (outcome === "rotated") return sign(deps, token.userId, next);
  if (outcome !== undefined) await punishReuse(deps, token, outcome);
  throw new ApiError("forbidden");
}

async function punishReuse({ clock, grants, log, settings }: Deps, used: RefreshToken, grant: Grant) {
  const isRepetition =
    grant.previousTokenId === used.refreshTokenId &&
    clock() - grant.issuedAt <= settings.setOAuthRefreshTokenReuseGraceSecs * 1000;
  if (isRepetition || !settings.setOAuthRefreshTokenReuseDetection) return;
  await grants.remove(used.userId, ({ grantId }) => grantId === used.grantId);
  log.warn("refresh-token-reused", { clientId: used.clientId, grantId: used.grantId });
}

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
  const refreshTokenId = await verifiedId(deps, request.refresh_token);
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

/** Id in a refresh token that is signed by us. @throws ApiError `forbidden` */
async function verifiedId({ jwtVerifier }: Deps, refreshToken: string): Promise<string> {
  const claims = await jwtVerifier.verify("refresh+jwt", refreshToken, { requiredClaims: ["sub"] });
  if (claims?.sub === undefined) throw new ApiError("forbidden");
  return claims.sub;
}

function newGrant(
  { grantId, clientId, scope }: Pick<Grant, "grantId" | "clientId" | "scope">,
  { clock, settings }: Deps,
): Grant {
  const now = clock();
  return {
    grantId,
    clientId,
    scope,
    refreshTokenId: randomUUID(),
    issuedAt: now,
    expiresAt: now + settings.setOAuthRefreshTokenExpirationTimeSecs * 1000,
  };
}

async function sign({ clock, settings, signer }: Deps, userId: string, grant: Grant): Promise<Tokens> {
  const issuedAt = toSeconds(clock());
  const lifetime = settings.setOAuthAccessTokenExpirationTimeSecs;
  const [accessToken, refreshToken] = await Promise.all([
    signer.sign("at+jwt", {
      iss: settings.domain,
      aud: settings.domain,
      sub: userId,
      iat: issuedAt,
      exp: issuedAt + lifetime,
      scope: grant.scope.join(" "),
    }),
    signer.sign("refresh+jwt", { sub: grant.refreshTokenId }),
  ]);
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: "Bearer",
    expires_in: lifetime,
  };
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  const expected = createHash("sha256").update(verifier).digest();
  const actual = Buffer.from(challenge, "base64url");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Later versions have public apps, too, which hold no secret. */
function requireSecret(secret: string | undefined, version: number): void {
  if (secret === undefined && version <= lastVersionWithSecret)
    throw badRequest("client_secret: required in this version");
}

/** A secret that is sent has to be right. */
function checkSecret(client: OAuthClient, secret: string | undefined, now: number): void {
  if (secret !== undefined && !hasSecret(client, secret, now)) throw new ApiError("forbidden");
}

function required(request: TokenRequest, field: keyof TokenRequest): string {
  const value = request[field];
  if (value === undefined) throw badRequest(`${field}: required for this grant type`);
  return value;
}

const badRequest = (problem: string) => new ApiError("bad-request", { message: `body.${problem}` });
