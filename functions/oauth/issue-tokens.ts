import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";
import { redeemCode } from "./redeem-code.ts";
import { rotateRefreshToken } from "./rotate-refresh-token.ts";
import type { TokenRequest, Tokens } from "./schemas.ts";

/**
 * Tokens for an authorization code or a refresh token.
 *
 * @throws ApiError in the order of spec heading Token endpoint
 * @see operation `create-oauth-access-token`
 */
export async function issueTokens(deps: Deps, request: TokenRequest, version: number): Promise<Tokens> {
  switch (request.grant_type) {
    case "authorization_code":
      return redeemCode(deps, request);
    case "refresh_token":
      return rotateRefreshToken(deps, request, version);
    default:
      throw new ApiError("forbidden", { message: "This grant type is not offered" });
  }
}
