import * as z from "zod";
import { isJwt, type JwtVerifier } from "../auth/jwt.ts";
import type { TokenVerifier } from "../auth/token-verifier.ts";
import { ApiError } from "../errors.ts";
import type { OAuthScope } from "../oauth/scopes.ts";
import { bearerToken, type HttpEvent, isInternalRequest } from "./request.ts";
import type { Actor, Route } from "./route.ts";

interface Verifiers {
  /** Absent in a family that authenticates nobody. */
  readonly verifier?: TokenVerifier;
  readonly jwtVerifier?: JwtVerifier;
}

/**
 * The user that a request acts for, where its route wants one. On the internal API the caller may name the user in
 * `Z-User`; on the public one that header means nothing.
 *
 * @throws ApiError as `verifyBearer`
 */
export async function authenticate(
  event: HttpEvent,
  { auth, scope }: Pick<Route, "auth" | "scope">,
  verifiers: Verifiers,
): Promise<Actor | undefined> {
  if (auth !== "user") return undefined;
  const named = isInternalRequest(event) ? event.headers["z-user"] : undefined;
  if (named !== undefined) {
    const userId = z.uuid().safeParse(named.toLowerCase());
    if (!userId.success) throw new ApiError("unauthenticated", { message: "Z-User is not a user id" });
    return { userId: userId.data };
  }
  return verifyBearer(bearerToken(event), verifiers, scope);
}

/**
 * The user of an access token.
 *
 * @param scope opens the operation to OAuth tokens; without it only login tokens do
 * @throws ApiError `unauthenticated` (401); `token-class-forbidden` (403) for a valid token of another class, and for an
 *   OAuth token without the scope
 */
export async function verifyBearer(
  bearer: string | undefined,
  { verifier, jwtVerifier }: Verifiers,
  scope?: OAuthScope,
): Promise<Actor> {
  if (bearer === undefined || verifier === undefined) throw refusal("unauthenticated", "Bearer");
  if (jwtVerifier !== undefined && isJwt(bearer)) {
    const grant = await jwtVerifier.verifyAccess(bearer);
    if (grant === undefined) throw refusal("unauthenticated", invalidToken);
    if (scope === undefined) throw new ApiError("token-class-forbidden");
    if (!grant.scopes.includes(scope)) {
      throw refusal("token-class-forbidden", `Bearer error="insufficient_scope", scope="${scope}"`);
    }
    return { userId: grant.userId };
  }
  const verification = await verifier.verify(bearer);
  if (verification.outcome !== "valid") throw refusal("unauthenticated", invalidToken);
  const { type, userId, connectionId, clientId } = verification.token;
  if (type !== "access") throw new ApiError("token-class-forbidden");
  return { userId, connectionId, clientId };
}

const invalidToken = 'Bearer error="invalid_token"';

/** An error that tells clients what would help (RFC 6750 §3). */
const refusal = (error: "unauthenticated" | "token-class-forbidden", challenge: string) =>
  new ApiError(error, { headers: { "www-authenticate": challenge } });
