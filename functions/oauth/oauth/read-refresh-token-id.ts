import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/** Read the id in a refresh token. @throws ApiError `unusable-grant` unless it is signed by us, `jwt-error` */
export async function readRefreshTokenId({ jwtVerifier }: Deps, refreshToken: string): Promise<string> {
  const claims = await jwtVerifier.verify("refresh+jwt", refreshToken, ["sub"]);
  if (claims?.sub === undefined) throw new ApiError("unusable-grant");
  return claims.sub;
}
