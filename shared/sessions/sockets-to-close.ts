import type { Socket } from "#shared/events/sockets/socket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { isConnectionOf, sessionIdIn, sessionIdOf } from "./cookies.ts";
import type { Sessions } from "./session.ts";

/** Whether a socket has ended. */
export const hasEnded = (socket: Socket, sessions: Sessions, now: number): boolean =>
  endOf(socket, sessions, now) <= now;

/**
 * When a socket ends if its session does not change before (unix milliseconds): at the end of its lifetime, or with the
 * last cookie of its session. Its access token decides instead of the session if
 *
 * - the user has no record of sessions: there never was one, or the last expired long ago;
 * - the token names no connection;
 * - another session has taken over its connection: then nobody knows whose socket it is.
 */
export function endOf(
  { connectionId, expiresAt = Number.POSITIVE_INFINITY, tokenExpiresAt = Number.POSITIVE_INFINITY }: Socket,
  sessions: Sessions,
  now: number,
): number {
  if (sessions.revision === 0 || connectionId === undefined) return Math.min(expiresAt, tokenExpiresAt);
  const cookies = Object.values(sessions.cookies).filter(
    (cookie) => cookie.expiresAt > now && isConnectionOf(cookie, connectionId),
  );
  if (cookies.length === 0) return now;
  const isItsOwn = cookies.every((cookie) => sessionIdOf(cookie) === sessionIdIn(connectionId));
  const sessionEnd = Math.max(...cookies.map((cookie) => cookie.expiresAt));
  return Math.min(expiresAt, isItsOwn ? sessionEnd : tokenExpiresAt);
}

/** Returns the sockets of a user that have ended, and of the others the oldest ones beyond the limits. */
export function socketsToClose(
  open: readonly Socket[],
  { sessions, settings, now }: { sessions: Sessions; settings: Settings; now: number },
): Socket[] {
  const ended = open.filter((socket) => hasEnded(socket, sessions, now));
  const newestFirst = open
    .filter((socket) => !ended.includes(socket))
    .toSorted((one, other) => other.openedAt - one.openedAt || (one.socketId < other.socketId ? -1 : 1));
  const byDevice = Map.groupBy(newestFirst, ({ clientId }) => clientId);
  const surplus = new Set(newestFirst.slice(settings.setUserMaxSockets));
  for (const [clientId, sockets] of byDevice) {
    if (clientId === undefined) continue;
    for (const socket of sockets.slice(settings.setDeviceMaxSockets)) surplus.add(socket);
  }
  return [...ended, ...surplus];
}
