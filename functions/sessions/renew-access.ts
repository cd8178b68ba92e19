import { addCookie, newCookie, setCookieHeader } from "#shared/auth/cookies.ts";
import { type CookieToken, presentedBearer, presentedCookies } from "#shared/auth/presented-tokens.ts";
import type { AccessToken } from "#shared/auth/token-issuer.ts";
import { toSeconds } from "#shared/clock.ts";
import type { Cookie, Sessions } from "#shared/data/session/session.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";
import { signCookie } from "./open-session.ts";

/**
 * A new access token for a cookie, and at times a new cookie in place of an old one.
 *
 * @throws ApiError as the route lists, spec heading Access renewal and logout
 * @see operation `access`
 */
export async function renewAccess(
  deps: Deps,
  request: { cookies: readonly string[]; bearer: string | undefined; clientId: string | undefined },
): Promise<{ accessToken: AccessToken; setCookie: string | undefined }> {
  const { clock, settings, tokens, verifier } = deps;
  const presented = await presentedCookies(verifier, request);
  const bearer = request.bearer === undefined ? undefined : await presentedBearer(verifier, request.bearer);
  if (bearer !== undefined && presented.every(({ userId }) => userId !== bearer.userId)) {
    throw new ApiError("token-mismatch");
  }
  const usable = presented.filter(({ userId }) => bearer === undefined || userId === bearer.userId);
  const { token, record, sessions } = await firstKnown(deps, usable);
  // A device can only be named once it has been registered.
  if (request.clientId !== undefined && request.clientId !== record.clientId)
    throw new ApiError("unknown-client");

  const isOld = clock() - record.createdAt >= settings.setUserCookieRenewAge * 1000;
  const successor = record.type === "persistent" && isOld ? await succeed(deps, record, sessions) : undefined;
  const accessToken = await tokens.accessToken({
    userId: token.userId,
    connectionId: bearer?.connectionId,
    clientId: record.clientId,
    expiresAtSeconds: record.type === "session" ? toSeconds(record.expiresAt) : undefined,
  });
  return {
    accessToken,
    setCookie:
      successor && setCookieHeader(await signCookie(deps, token.userId, successor), successor, settings),
  };
}

/** The first cookie that has not been revoked. @throws ApiError `invalid-token` */
async function firstKnown({ clock, sessions }: Deps, presented: readonly CookieToken[]) {
  for (const token of presented) {
    const current = await sessions.get(token.userId);
    const record = current.cookies[token.cookieId];
    if (record !== undefined && record.expiresAt > clock()) return { token, record, sessions: current };
  }
  throw new ApiError("invalid-token");
}

/**
 * The cookie that replaces an old one: made once, then the same for every use of the old one, which stays usable for
 * one more renew age in case the answer did not arrive.
 *
 * @throws ApiError `invalid-token` when either has been revoked
 */
function succeed({ clock, sessions, settings }: Deps, old: Cookie, known: Sessions): Promise<Cookie> {
  return sessions.change(
    known.userId,
    (current) => {
      const now = clock();
      const record = current.cookies[old.id];
      if (record === undefined) throw new ApiError("invalid-token");
      if (record.successor !== undefined) {
        const existing = current.cookies[record.successor];
        if (existing === undefined) throw new ApiError("invalid-token");
        return { next: undefined, result: existing };
      }
      const successor = newCookie(
        { type: record.type, label: record.label, clientId: record.clientId },
        settings,
        now,
      );
      const superseded: Cookie = {
        ...record,
        successor: successor.id,
        expiresAt: Math.min(record.expiresAt, now + settings.setUserCookieRenewAge * 1000),
      };
      const cookies = { ...current.cookies, [record.id]: superseded };
      return {
        next: addCookie({ ...current, cookies }, successor, settings.setUserCookieLimit, now),
        result: successor,
      };
    },
    known,
  );
}
