import { findDevice } from "#shared/devices/device.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { charge } from "#shared/platform/usage/measured-work.ts";
import { dayOf } from "#shared/platform/usage/statistics.ts";
import type { Settings } from "#shared/registry/settings.ts";
import {
  addCookie,
  endsCookies,
  isConnectionOf,
  newConnectionId,
  replaceCookie,
} from "#shared/sessions/cookies.ts";
import { countActive, countMarked } from "#shared/sessions/count-active.ts";
import { signCookie } from "#shared/sessions/new-session.ts";
import {
  belongToSameUser,
  type CookieToken,
  isOfLegalHold,
  presentedBearer,
  presentedCookies,
} from "#shared/sessions/presented-tokens.ts";
import type { Cookie, Sessions } from "#shared/sessions/session.ts";
import type { Marked } from "#shared/sessions/session-store.ts";
import type { AccessToken } from "#shared/sessions/tokens/token-issuer.ts";
import type { Deps } from "./deps.ts";

/**
 * Issue a new access token for a cookie and, if the cookie is old, a new cookie in its place. Naming a device ties the
 * cookie to it for good.
 *
 * @throws ApiError as the route lists
 * @see operation `access`
 */
export async function renewAccess(
  deps: Deps,
  request: { cookies: readonly string[]; bearer: string | undefined; clientId: string | undefined },
): Promise<{ accessToken: AccessToken; setCookie: string | undefined }> {
  const { accounts, clock, outbox, sessions, settings, tokens, verifier } = deps;
  const presented = await presentedCookies(verifier, request, { legalHold: true });
  const bearer =
    request.bearer === undefined
      ? undefined
      : await presentedBearer(verifier, request.bearer, { legalHold: true });
  const usable = presented.filter((cookie) => bearer === undefined || belongToSameUser(cookie, bearer));
  if (usable.length === 0) throw new ApiError("token-mismatch");
  const { token, known } = await firstKnown(deps, usable, request.clientId);
  const { userId, cookieId } = token;
  const { isLegalHold } = known;
  const { used, current, marked } = await sessions.change(
    userId,
    (state) => {
      const now = clock();
      const { next, result } = keepConnection(
        state,
        useCookie(state, { cookieId, clientId: request.clientId }, settings, now),
        bearer?.connectionId,
      );
      const isAnyEvicted = next !== undefined && endsCookies(state, next, now);
      const messages = isAnyEvicted ? [closeSockets(outbox, { userId })] : [];
      if (next === undefined || isLegalHold) return { next, result, messages };
      // Any write of the account also records that the user is active.
      const marked: Marked = { isMarked: true, activeBefore: state.activeOn };
      return { next: { ...next, activeOn: dayOf(now) }, result: { ...result, marked }, messages };
    },
    known,
    request.clientId === undefined ? [] : [requireDevice(deps, userId, request.clientId)],
  );
  const [accessToken] = await Promise.all([
    tokens.accessToken({
      userId,
      connectionId: bearer?.connectionId ?? newConnectionId(current),
      clientId: current.clientId,
      isLegalHold,
      expiresAtSeconds: used.type === "session" ? toSeconds(used.expiresAt) : undefined,
    }),
    isLegalHold || (marked ? countMarked(deps, marked) : countActive(deps, userId, known.activeOn)),
    charge(async () => (await accounts.get(userId))?.teamId),
  ]);
  // Repeated for each use of an outdated cookie, because the response with the new one may have been lost.
  const isOutdated = current.id !== cookieId || current.clientId !== token.clientId;
  return {
    accessToken,
    setCookie: isOutdated ? await signCookie(deps, userId, current, isLegalHold) : undefined,
  };
}

/**
 * Finds the first cookie that has been neither revoked nor expired.
 * @throws ApiError `invalid-token`, and `unknown-client` when its user has no such device
 */
async function firstKnown(
  { clock, devices, sessions }: Deps,
  presented: readonly CookieToken[],
  clientId: string | undefined,
) {
  for (const token of presented) {
    const [known, owned] = await Promise.all([
      sessions.get(token.userId, isOfLegalHold(token) ? true : undefined),
      clientId === undefined ? undefined : devices.get(token.userId),
    ]);
    const record = known.cookies[token.cookieId];
    if (record === undefined || record.expiresAt <= clock()) continue;
    if (owned && clientId !== undefined) {
      const device = findDevice(owned, clientId);
      const isOfKind = (device?.type === "legalhold") === isOfLegalHold(token);
      if (device === undefined || !isOfKind) throw new ApiError("unknown-client");
    }
    return { token, known };
  }
  throw new ApiError("invalid-token");
}

/** The removal of a device revokes its cookies: no cookie may be tied to it concurrently. */
const requireDevice = ({ devices }: Deps, userId: string, clientId: string): Write => ({
  ...devices.require(userId, clientId),
  onRejected: () => new ApiError("unknown-client"),
});

interface Decision {
  readonly next: Sessions | undefined;
  readonly result: Use;
}

interface Use {
  readonly used: Cookie;
  /** The cookie that the client is to use from now on: the same one, or the one that replaces it. */
  readonly current: Cookie;
  /** Set if the write for this use also counts the user as active. */
  readonly marked?: Marked;
}

/**
 * Decides what the use of a cookie changes. An old cookie is replaced once: further uses lead to the same successor.
 *
 * @throws ApiError `invalid-token` when either has been revoked or belongs to another device
 */
function useCookie(
  sessions: Sessions,
  { cookieId, clientId }: { cookieId: number; clientId: string | undefined },
  settings: Settings,
  now: number,
): Decision {
  const stored = cookieIn(sessions, cookieId);
  const used = tied(stored, clientId);
  const isOld = now - used.createdAt >= settings.setUserCookieRenewAge * 1000;
  if (used.type === "session" || !isOld) {
    const next = used === stored ? undefined : withCookies(sessions, used);
    return { next, result: { used, current: used } };
  }
  if (used.successor !== undefined) {
    const successor = cookieIn(sessions, used.successor);
    const current = tied(successor, used.clientId);
    const isUnchanged = used === stored && current === successor;
    return {
      next: isUnchanged ? undefined : withCookies(sessions, used, current),
      result: { used, current },
    };
  }
  const { superseded, successor: current } = replaceCookie(used, settings, now);
  return {
    next: addCookie(withCookies(sessions, superseded), current, settings.setUserCookieLimit, now),
    result: { used: superseded, current },
  };
}

/** The session takes over the connection of the bearer token, which usually is its own already. */
function keepConnection(
  sessions: Sessions,
  { next, result }: Decision,
  connectionId: string | undefined,
): Decision {
  if (connectionId === undefined || isConnectionOf(result.current, connectionId)) return { next, result };
  const current = { ...result.current, connectionId };
  return { next: withCookies(next ?? sessions, current), result: { ...result, current } };
}

function cookieIn({ cookies }: Sessions, id: number): Cookie {
  const cookie = cookies[id];
  if (cookie === undefined) throw new ApiError("invalid-token");
  return cookie;
}

/** The cookie tied to the device; the same object if nothing changes. */
function tied(cookie: Cookie, clientId: string | undefined): Cookie {
  if (clientId === undefined || clientId === cookie.clientId) return cookie;
  if (cookie.clientId !== undefined) throw new ApiError("invalid-token");
  return { ...cookie, clientId };
}

const withCookies = (sessions: Sessions, ...changed: readonly Cookie[]): Sessions => ({
  ...sessions,
  cookies: { ...sessions.cookies, ...Object.fromEntries(changed.map((cookie) => [cookie.id, cookie])) },
});
