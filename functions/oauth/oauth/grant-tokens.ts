import { randomUUID } from "node:crypto";
import type { Grant } from "#shared/oauth/grant.ts";
import { signIdToken } from "#shared/oauth/id-token.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Deps } from "./deps.ts";
import type { Tokens } from "./schemas.ts";

/** Tokens with their scope. */
export type SignedTokens = Omit<Tokens, "scope"> & { readonly scope: readonly string[] };

/** Create the state of a grant after a new refresh token is issued for it. */
export function newGrant(
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
export async function signTokens(
  deps: Deps,
  userId: string,
  grant: Grant,
  nonce?: string,
): Promise<SignedTokens> {
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
