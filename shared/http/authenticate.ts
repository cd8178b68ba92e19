import * as z from "zod";
import { isJwt, type JwtVerifier } from "../auth/jwt.ts";
import type { TokenVerifier } from "../auth/token-verifier.ts";
import { ApiError } from "../errors.ts";
import { bearerToken, type HttpEvent, isInternalRequest } from "./request.ts";
import type { Actor, Route } from "./route.ts";

/**
 * The user that a request acts for, where its route wants one. On the internal API the caller may name the user in
 * `Z-User`; on the public one that header means nothing.
 *
 * @throws ApiError `unauthenticated` (401); `token-class-forbidden` (403) for a valid token of another class, and for an
 *   OAuth token without the scope of the route
 */
export async function authenticate(
  event: HttpEvent,
  { auth, scope }: Pick<Route, "auth" | "scope">,
  { verifier, jwtVerifier }: { verifier?: TokenVerifier; jwtVerifier?: JwtVerifier },
): Promise<Actor | undefined> {
  if (auth !== "user") return undefined;
  const named = isInternalRequest(event) ? event.headers["z-user"] : undefined;
  if (named !== undefined) {
    const userId = z.uuid().safeParse(named.toLowerCase());
    if (!userId.success) throw new ApiError("unauthenticated", { message: "Z-User is not a user id" });
    return { userId: userId.data };
  }
  const bearer = bearerToken(event);
  if (bearer === undefined || jwtVerifier === undefined || !isJwt(bearer))
    return verifyBearer(bearer, verifier);
  const grant = await jwtVerifier.verifyAccess(bearer);
  if (grant === undefined) throw new ApiError("unauthenticated");
  if (scope === undefined || !grant.scopes.includes(scope)) throw new ApiError("token-class-forbidden");
  return { userId: grant.userId };
}

/**
 * The user of an access token.
 * @throws ApiError `unauthenticated` (401), or `token-class-forbidden` (403) for a valid token of another class
 */
export async function verifyBearer(
  bearer: string | undefined,
  verifier: TokenVerifier | undefined,
): Promise<Actor> {
  if (bearer === undefined || verifier === undefined) throw new ApiError("unauthenticated");
  const verification = await verifier.verify(bearer);
  if (verification.outcome !== "valid") throw new ApiError("unauthenticated");
  const { type, userId, connectionId, clientId } = verification.token;
  if (type !== "access") throw new ApiError("token-class-forbidden");
  return { userId, connectionId, clientId };
}
