import { randomInt } from "node:crypto";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Cookie, Sessions } from "./session.ts";

/** Rules of the interface for a user's cookies, without storage. Times are unix milliseconds. */

/** Creates the record of a cookie whose lifetime follows from its type and the settings. */
export function newCookie(
  wanted: Pick<Cookie, "type" | "label" | "clientId"> & { readonly expiresAtMost?: number | undefined },
  settings: Settings,
  now: number,
): Cookie {
  const { userTokenTimeout, sessionCookieTimeout } = settings.zauth.authSettings;
  const lifetimeSeconds = wanted.type === "persistent" ? userTokenTimeout : sessionCookieTimeout;
  return {
    id: randomInt(2 ** 32),
    type: wanted.type,
    createdAt: now,
    expiresAt: Math.min(now + lifetimeSeconds * 1000, wanted.expiresAtMost ?? Number.POSITIVE_INFINITY),
    label: wanted.label,
    clientId: wanted.clientId,
  };
}

/**
 * Decides how an old cookie is replaced: by a new one of the same session. The old one stays usable for one more
 * renewal period, in case the response with the new one does not arrive.
 */
export function replaceCookie(
  used: Cookie,
  settings: Settings,
  now: number,
): { readonly superseded: Cookie; readonly successor: Cookie } {
  const { type, label, clientId, connectionId } = used;
  const added = newCookie({ type, label, clientId }, settings, now);
  const successor = { ...added, sessionId: sessionIdOf(used), connectionId };
  const expiresAt = Math.min(used.expiresAt, now + settings.setUserCookieRenewAge * 1000);
  return { superseded: { ...used, successor: successor.id, expiresAt }, successor };
}

/**
 * Adds a cookie and enforces the limit. Expired cookies go first, then superseded ones, then session cookies, and
 * finally persistent ones by nearest expiry.
 */
export function addCookie(sessions: Sessions, added: Cookie, limit: number, now: number): Sessions {
  const live = Object.values(sessions.cookies).filter(({ expiresAt }) => expiresAt > now);
  const kept = live.toSorted(byPreference).slice(0, limit - 1);
  return {
    ...sessions,
    cookies: Object.fromEntries([...kept, added].map((cookie) => [cookie.id, cookie])),
    newestAt: Math.max(sessions.newestAt, added.createdAt),
  };
}

/**
 * Removes cookies together with the ones that they replaced: an old cookie and its successor are one session.
 */
export function withoutCookies(sessions: Sessions, isRemoved: (cookie: Cookie) => boolean): Sessions {
  const cookies = Object.values(sessions.cookies);
  const removed = new Set(cookies.filter(isRemoved).map(({ id }) => id));
  const kept = cookies.filter(
    ({ id, successor }) => !removed.has(id) && !(successor !== undefined && removed.has(successor)),
  );
  return { ...sessions, cookies: Object.fromEntries(kept.map((cookie) => [cookie.id, cookie])) };
}

/** Id of the session that a cookie belongs to: a cookie and the ones that replace it are one session. */
export const sessionIdOf = ({ id, sessionId }: Cookie): number => sessionId ?? id;

/**
 * When a user last logged in, or registered. If an earlier version has stored no time, that of the newest session
 * without a renewal; undefined if there is none.
 */
export function lastLoginOf({ loggedInAt, cookies }: Sessions): number | undefined {
  if (loggedInAt !== undefined) return loggedInAt;
  const begun = Object.values(cookies).filter(({ sessionId }) => sessionId === undefined);
  return begun.length === 0 ? undefined : Math.max(...begun.map(({ createdAt }) => createdAt));
}

/** Creates the connection id of an access token: a random number whose lower half names the session. */
export const newConnectionId = (cookie: Cookie): string =>
  ((BigInt(randomInt(2 ** 32)) << 32n) | BigInt(sessionIdOf(cookie))).toString();

/** Id of the session that a connection id names, whether or not it exists; undefined when it names none. */
export const sessionIdIn = (connectionId: string): number | undefined =>
  /^\d+$/.test(connectionId) ? Number(BigInt.asUintN(32, BigInt(connectionId))) : undefined;

/** Whether a connection belongs to a cookie's session. */
export const isConnectionOf = (cookie: Cookie, connectionId: string): boolean =>
  connectionId === cookie.connectionId || sessionIdIn(connectionId) === sessionIdOf(cookie);

/** Whether a change removes cookies that could still be used. */
export const endsCookies = (current: Sessions, next: Sessions, now: number): boolean =>
  Object.values(current.cookies).some(
    ({ id, expiresAt }) => expiresAt > now && next.cookies[id] === undefined,
  );

/** In order of preference to keep. */
function byPreference(one: Cookie, other: Cookie): number {
  return worth(other) - worth(one) || other.expiresAt - one.expiresAt;
}

function worth({ successor, type }: Cookie): number {
  if (successor !== undefined) return 0;
  return type === "session" ? 1 : 2;
}

/**
 * At the limit, a user whose cookies were all created in quick succession must wait.
 * @throws ApiError `cookie-throttled` with `Retry-After`
 */
export function checkCookieThrottle(sessions: Sessions, settings: Settings, now: number): void {
  const live = Object.values(sessions.cookies).filter(({ expiresAt }) => expiresAt > now);
  if (live.length < settings.setUserCookieLimit) return;
  const { stdDev, retryAfter } = settings.setUserCookieThrottle;
  const times = live.map(({ createdAt }) => createdAt / 1000);
  const waitSeconds = Math.max(...times) + retryAfter - now / 1000;
  if (waitSeconds > 0 && standardDeviation(times) <= stdDev) {
    throw new ApiError("cookie-throttled", { retryAfterSeconds: waitSeconds });
  }
}

function standardDeviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/**
 * `Set-Cookie` value that sets a cookie; only persistent ones name their expiry. The path has no version, so browsers send
 * the cookie to `/access` alone: with a second cookie for other paths, a logout would leave one behind.
 */
export function setCookieHeader(token: string, cookie: Cookie, settings: Settings): string {
  const expires = cookie.type === "persistent" ? [`Expires=${new Date(cookie.expiresAt).toUTCString()}`] : [];
  return [`zuid=${token}`, "path=/access", ...domain(settings), ...expires, "HttpOnly", "Secure"].join("; ");
}

/** `Set-Cookie` value that makes the client forget its cookie. */
export const clearCookieHeader = (settings: Settings): string =>
  [
    "zuid=",
    "path=/access",
    ...domain(settings),
    `Expires=${new Date(0).toUTCString()}`,
    "HttpOnly",
    "Secure",
  ].join("; ");

const domain = ({ setCookieDomain }: Settings) => (setCookieDomain ? [`Domain=${setCookieDomain}`] : []);

/** Description of `Set-Cookie` in the API document, for operations that set the cookie of a login. */
export const zuidCookie =
  "The cookie `zuid`, HttpOnly and for paths below `/access` only. Without `Expires` it is a session cookie.";
