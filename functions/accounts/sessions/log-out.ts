import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { clearCookieHeader, withoutCookies } from "#shared/sessions/cookies.ts";
import { presentedBearer, presentedCookies } from "#shared/sessions/presented-tokens.ts";
import type { Sessions } from "#shared/sessions/session.ts";
import type { Deps } from "./deps.ts";

/**
 * Revoke the cookie of the request and the one that it replaced, and close their sockets. The access token stays valid
 * until it expires.
 *
 * @returns the `Set-Cookie` value that clears the cookie
 * @throws ApiError `missing-token` and those of `renewAccess`
 * @see operation `logout`
 */
export async function logOut(
  { accounts, outbox, sessions, settings, verifier }: Deps,
  request: { cookies: readonly string[]; bearer: string | undefined },
): Promise<string> {
  const presented = await presentedCookies(verifier, request);
  if (request.bearer === undefined) throw new ApiError("missing-token");
  const bearer = await presentedBearer(verifier, request.bearer);
  const own = presented.filter(({ userId }) => userId === bearer.userId);
  if (own.length === 0) throw new ApiError("token-mismatch");
  const { userId } = bearer;
  describeAudited({ actor: { kind: "user", user: userId } });
  // The account tells the audit trail the user's team.
  const [known] = await Promise.all([sessions.get(userId), accounts.get(userId)]);
  const end = (current: Sessions) => {
    const used = own.find(({ cookieId }) => current.cookies[cookieId] !== undefined);
    if (used === undefined) throw new ApiError("invalid-token");
    return {
      next: withoutCookies(current, ({ id }) => id === used.cookieId),
      messages: [closeSockets(outbox, { userId })],
      result: undefined,
    };
  };
  await sessions.change(userId, end, known);
  return clearCookieHeader(settings);
}
