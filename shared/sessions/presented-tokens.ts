import { ApiError } from "#shared/platform/http/api-error.ts";
import type { LoginToken, Token } from "#shared/sessions/tokens/token.ts";
import type { TokenVerifier } from "#shared/sessions/tokens/token-verifier.ts";

/** An unexpired cookie token with a valid signature; its record may nevertheless have been removed. */
export type CookieToken = LoginToken & { readonly cookieId: number };

/** Further tokens that are accepted, in addition to users' own. */
interface Allowed {
  /** Whether tokens of their legal hold devices are accepted. */
  readonly legalHold?: boolean;
}

/** Whether a cookie and an access token belong to the same user, and both or neither to the user's legal hold device. */
export const belongToSameUser = (cookie: LoginToken, bearer: LoginToken): boolean =>
  cookie.userId === bearer.userId && isOfLegalHold(cookie) === isOfLegalHold(bearer);

export const isOfLegalHold = ({ type }: LoginToken): boolean =>
  type === "legalhold-cookie" || type === "legalhold-access";

/**
 * Returns the valid cookies of a request, in their order.
 * @throws ApiError `missing-cookie`, `missing-cookie-and-token`, `unparsable-token`, `token-expired`, `invalid-token`
 */
export async function presentedCookies(
  verifier: TokenVerifier,
  { cookies, bearer }: { cookies: readonly string[]; bearer: string | undefined },
  allowed: Allowed = {},
): Promise<[CookieToken, ...CookieToken[]]> {
  if (cookies.length === 0) {
    throw new ApiError(bearer === undefined ? "missing-cookie-and-token" : "missing-cookie");
  }
  const verifications = await Promise.all(cookies.map((text) => verifier.verify(text)));
  const [first, ...others] = verifications.flatMap((verification) =>
    verification.outcome === "valid" && isCookie(verification.token, allowed) ? [verification.token] : [],
  );
  if (first !== undefined) return [first, ...others];
  const outcomes = verifications.map(({ outcome }) => outcome);
  if (outcomes.every((outcome) => outcome === "unparsable")) throw new ApiError("unparsable-token");
  throw new ApiError(outcomes.includes("expired") ? "token-expired" : "invalid-token");
}

/**
 * Returns the access token that accompanies a cookie; it may be expired, because it only names a connection.
 * @throws ApiError `unparsable-token`, `invalid-token`
 */
export async function presentedBearer(
  verifier: TokenVerifier,
  bearer: string,
  { legalHold = false }: Allowed = {},
): Promise<LoginToken> {
  const verification = await verifier.verify(bearer);
  if (verification.outcome === "unparsable") throw new ApiError("unparsable-token");
  if (verification.outcome === "forged") throw new ApiError("invalid-token");
  const { token } = verification;
  if (token.type !== "access" && !(legalHold && token.type === "legalhold-access"))
    throw new ApiError("invalid-token");
  return token;
}

const isCookie = (token: Token, { legalHold = false }: Allowed): token is CookieToken =>
  (token.type === "cookie" || (legalHold && token.type === "legalhold-cookie")) &&
  token.cookieId !== undefined;
