import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import type { SignedTokens } from "./grant-tokens.ts";
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
  const { scope, ...tokens } = await issue(deps, request, version);
  // Unknown words next to `openid` were ignored, and the app may have named none here.
  const isSaid = tokens.id_token === undefined && isAsAsked(scope, request.scope);
  return isSaid ? tokens : { ...tokens, scope: scope.join(" ") };
}

function issue(deps: Deps, request: AuthenticatedRequest, version: number): Promise<SignedTokens> {
  switch (request.grant_type) {
    case "authorization_code":
      return redeemCode(deps, request);
    case "refresh_token":
      return rotateRefreshToken(deps, request, version);
    default:
      throw new ApiError("unsupported-grant-type");
  }
}

/**
 * Whether the scope equals the one that the app asked the user for and, if it names one now, that one. A request for an
 * unknown scope was granted none.
 */
function isAsAsked(granted: readonly string[], asked: string | undefined): boolean {
  if (granted.length === 0) return false;
  const words = new Set(asked?.split(/\s+/).filter((word) => word !== "") ?? granted);
  return words.size === granted.length && granted.every((word) => words.has(word));
}
