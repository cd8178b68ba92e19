import type { Socket } from "#shared/events/sockets/socket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { isConnectionOf } from "./cookies.ts";
import type { Sessions } from "./session.ts";

/**
 * Whether a socket's access token has expired, or its session has ended. A user without a record of sessions never had
 * one, or the last expired long ago; then only the expiry of the token decides.
 */
export const hasEnded = ({ connectionId, expiresAt }: Socket, sessions: Sessions, now: number): boolean =>
  (expiresAt !== undefined && expiresAt <= now) ||
  (sessions.revision > 0 && connectionId !== undefined && !hasConnection(sessions, connectionId, now));

const hasConnection = ({ cookies }: Sessions, connectionId: string, now: number) =>
  Object.values(cookies).some((cookie) => cookie.expiresAt > now && isConnectionOf(cookie, connectionId));

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
