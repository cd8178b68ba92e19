import { relayOf } from "#shared/events/sockets/relay.ts";
import type { SocketCheck } from "#shared/events/sockets/socket-closure.ts";
import { endOf } from "#shared/sessions/sockets-to-close.ts";
import { closeDueSockets } from "./close-due-sockets.ts";
import type { Deps } from "./deps.ts";

/**
 * Check a user's sockets at the time when one of them was expected to end, and request another check if it stays open,
 * because its cookie was renewed or only its access token has expired. A request that arrives too early, because SQS
 * delays messages by at most 15 minutes, is repeated for as long as the socket is open.
 */
export async function checkSockets(deps: Deps, check: SocketCheck): Promise<void> {
  const { checks, clock, sockets } = deps;
  const { checkedUserId: userId, socketId, notBefore } = check;
  if (notBefore > clock()) {
    const isOpen = socketId === undefined || (await sockets.reread({ userId, socketId })) !== undefined;
    if (isOpen) await checks.request(check);
    return;
  }
  const { open, sessions } = await closeDueSockets(deps, { userId });
  const socket = open.find((one) => one.socketId === socketId);
  if (socket === undefined) return;
  const end = endOf(socket, sessions, clock());
  const isOfRelay = relayOf(socket.socketId) !== undefined;
  // Relays close old sockets themselves.
  if (!isOfRelay || end !== socket.expiresAt) await checks.request({ ...check, notBefore: end });
}
