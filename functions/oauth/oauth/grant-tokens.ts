import { randomUUID } from "node:crypto";
import type { Grant } from "#shared/oauth/grant.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Deps } from "./deps.ts";
import type { Tokens } from "./schemas.ts";

/** Tokens with the scope that they are good for. */
export type SignedTokens = Omit<Tokens, "scope"> & Pick<Grant, "scope">;

/** Create the state of a grant after a new refresh token is issued for it. */
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

/** Sign the tokens of an app for a grant. @throws ApiError `jwt-error` */
export async function signTokens(
  { clock, settings, signer }: Deps,
  userId: string,
  grant: Grant,
): Promise<SignedTokens> {
  const issuedAt = toSeconds(clock());
  const lifetime = settings.setOAuthAccessTokenExpirationTimeSecs;
  const [accessToken, refreshToken] = await Promise.all([
    signer.sign("at+jwt", {
      iss: settings.domain,
      aud: settings.domain,
      sub: userId,
      client_id: grant.clientId,
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
    scope: grant.scope,
  };
}
