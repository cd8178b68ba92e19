import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/** Id in a refresh token that is signed by us. @throws ApiError `forbidden` when it is not, `jwt-error` */
export async function readRefreshTokenId({ jwtVerifier }: Deps, refreshToken: string): Promise<string> {
  const claims = await jwtVerifier.verify("refresh+jwt", refreshToken, { requiredClaims: ["sub"] });
  if (claims?.sub === undefined) throw new ApiError("forbidden");
  return claims.sub;
}
