import type { Refusal, Socket } from "#shared/events/sockets/socket.ts";
import { sessionIdIn } from "./cookies.ts";

/**
 * How long a session opens no other socket after one was flooded. A flood is noticed after some seconds; a client that
 * could return immediately would go on with the next socket.
 */
const refusalMilliseconds = 5 * 60_000;

/** Close code of a socket whose client sends too much (RFC 6455 §7.4.1). */
export const tooManyFrames = 1008;

type Connection = Pick<Socket, "connectionId">;

const sessionOf = ({ connectionId }: Connection): number | undefined =>
  connectionId === undefined ? undefined : sessionIdIn(connectionId);

/** The refusal of further sockets of a session, one of whose sockets was flooded. */
export const refusalAfterFlood = (socket: Connection, now: number): Refusal => ({
  sessionId: sessionOf(socket),
  until: now + refusalMilliseconds,
});

/** The refusal that applies to a socket, if there is one. */
export const refusalOf = (
  socket: Connection,
  refusals: readonly Refusal[],
  now: number,
): Refusal | undefined =>
  refusals.find(({ sessionId, until }) => until > now && sessionId === sessionOf(socket));
