import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { redeemCode } from "./redeem-code.ts";
import { rotateRefreshToken } from "./rotate-refresh-token.ts";
import type { Tokens } from "./schemas.ts";
import type { AuthenticatedRequest } from "./token-request.ts";

/**
 * Issue tokens for an authorization code or a refresh token.
 *
 * @throws ApiError `unsupported-grant-type`, and those of `redeemCode` and `rotateRefreshToken`
 * @see operation `create-oauth-access-token`
 */
export async function issueTokens(
  deps: Deps,
  request: AuthenticatedRequest,
  version: number,
): Promise<Tokens> {
  switch (request.grant_type) {
    case "authorization_code":
      return redeemCode(deps, request);
    case "refresh_token":
      return rotateRefreshToken(deps, request, version);
    default:
      throw new ApiError("unsupported-grant-type");
  }
}
