import { randomUUID } from "node:crypto";
import { toSeconds } from "#shared/clock.ts";
import type { Grant } from "#shared/data/oauth/grant.ts";
import type { Deps } from "./deps.ts";
import type { Tokens } from "./schemas.ts";

/** A grant as it is when a refresh token has just been issued for it. */
export function newGrant(
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

/** What the app gets for a grant. @throws ApiError `jwt-error` */
export async function signTokens(
  { clock, settings, signer }: Deps,
  userId: string,
  grant: Grant,
): Promise<Tokens> {
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
