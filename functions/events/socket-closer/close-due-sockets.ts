import { relayOf } from "#shared/events/sockets/relay.ts";
import { handshakeMilliseconds, type Socket } from "#shared/events/sockets/socket.ts";
import type { SocketClosure } from "#shared/events/sockets/socket-closure.ts";
import type { Sessions } from "#shared/sessions/session.ts";
import { socketsToClose } from "#shared/sessions/sockets-to-close.ts";
import type { Deps } from "./deps.ts";

/** The sockets of a user after some were closed. */
interface Remaining {
  readonly open: readonly Socket[];
  readonly sessions: Sessions;
}

/**
 * Close those sockets of a user that have ended or exceed the limit, and all of a removed device. Safe to repeat.
 * @throws AggregateError when some could not be closed; the others are closed nevertheless
 */
export async function closeDueSockets(
  deps: Deps,
  { userId, removedDevice }: SocketClosure,
): Promise<Remaining> {
  const { clock, deviceQueues, sessions: sessionStore, settings, sockets } = deps;
  const [{ sockets: recorded }, sessions] = await Promise.all([
    sockets.ofUser(userId),
    sessionStore.get(userId),
  ]);
  const dead = await deadRelaysOf(deps, recorded);
  const isGone = ({ socketId }: Socket) => dead.has(relayOf(socketId));
  const open = recorded.filter((socket) => !isGone(socket));
  const isRemoved = ({ clientId, openedAt }: Socket) =>
    removedDevice !== undefined && clientId === removedDevice.clientId && openedAt <= removedDevice.at;
  const others = open.filter((socket) => !isRemoved(socket));
  const due = [...open.filter(isRemoved), ...socketsToClose(others, { sessions, settings, now: clock() })];
  const outcomes = await Promise.allSettled([
    ...due.map((socket) => close(deps, socket)),
    ...recorded.filter(isGone).map((socket) => deviceQueues.retire(socket)),
  ]);
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  if (errors.length > 0)
    throw new AggregateError(errors, "Not all sockets could be closed", { cause: errors[0] });
  return { open: open.filter((socket) => !due.includes(socket)), sessions };
}

/** Relays of a user's sockets that have died; nobody reports the end of their sockets. */
async function deadRelaysOf(
  { relays }: Deps,
  sockets: readonly Socket[],
): Promise<ReadonlySet<string | undefined>> {
  const relayIds = new Set(sockets.flatMap(({ socketId }) => relayOf(socketId) ?? []));
  const dead = await Promise.all(
    [...relayIds].map(async (relayId) => ((await relays.isAlive(relayId)) ? [] : [relayId])),
  );
  return new Set(dead.flat());
}

/** `$disconnect` then removes the record, but API Gateway does not always report it for a socket that vanished. */
async function close({ clock, deviceQueues, poster }: Deps, socket: Socket): Promise<void> {
  const { socketId, openedAt } = socket;
  const outcome = await poster.close(socketId);
  if (outcome === "closed") return;
  const isOpening = outcome === "gone" && clock() - openedAt < handshakeMilliseconds;
  if (outcome === "failed" || isOpening) throw new Error(`The socket ${socketId} could not be closed`);
  await deviceQueues.retire(socket);
}
