import { ApiError } from "../errors.ts";
import type { Token } from "./token.ts";
import type { TokenVerifier } from "./token-verifier.ts";

/** A cookie token whose signature and date are good; whether its record still exists is another question. */
export type CookieToken = Token & { readonly cookieId: number };

/**
 * The cookies of a request that verify, in its order.
 * @throws ApiError `missing-cookie`, `missing-cookie-and-token`, `unparsable-token`, `token-expired`, `invalid-token`
 */
export async function presentedCookies(
  verifier: TokenVerifier,
  { cookies, bearer }: { cookies: readonly string[]; bearer: string | undefined },
): Promise<[CookieToken, ...CookieToken[]]> {
  if (cookies.length === 0) {
    throw new ApiError(bearer === undefined ? "missing-cookie-and-token" : "missing-cookie");
  }
  const verifications = await Promise.all(cookies.map((text) => verifier.verify(text)));
  const [first, ...others] = verifications.flatMap((verification) =>
    verification.outcome === "valid" && isCookie(verification.token) ? [verification.token] : [],
  );
  if (first !== undefined) return [first, ...others];
  const outcomes = verifications.map(({ outcome }) => outcome);
  if (outcomes.every((outcome) => outcome === "unparsable")) throw new ApiError("unparsable-token");
  throw new ApiError(outcomes.includes("expired") ? "token-expired" : "invalid-token");
}

/**
 * The access token beside a cookie; an expired one still tells which connection it was for.
 * @throws ApiError `unparsable-token`, `invalid-token`
 */
export async function presentedBearer(verifier: TokenVerifier, bearer: string): Promise<Token> {
  const verification = await verifier.verify(bearer);
  if (verification.outcome === "unparsable") throw new ApiError("unparsable-token");
  if (verification.outcome === "forged" || verification.token.type !== "access")
    throw new ApiError("invalid-token");
  return verification.token;
}

const isCookie = (token: Token): token is CookieToken =>
  token.type === "cookie" && token.cookieId !== undefined;
