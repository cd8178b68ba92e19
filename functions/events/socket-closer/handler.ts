import { removePushTokens } from "#shared/events/push/remove-push-tokens.ts";
import { relayOf } from "#shared/events/sockets/relay.ts";
import {
  type SocketCheck,
  type SocketClosure,
  socketCheck,
  socketClosure,
} from "#shared/events/sockets/socket-closure.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { endOf } from "#shared/sessions/sockets-to-close.ts";
import { closeDueSockets } from "./close-due-sockets.ts";
import type { Deps } from "./deps.ts";

/** Handle messages from the queue `socket-closures`: closures from the outbox, and requests to check a user's sockets. */
export function createHandler(deps: Deps) {
  const { outbox } = deps;

  async function handle({ payload }: OutboxItem): Promise<void> {
    const closure = socketClosure.parse(payload);
    // Neither waits for the other, because a device that has just been removed may still register tokens rapidly.
    await allDone([closeDueSockets(deps, closure), removeTokensOfDevice(deps, closure)]);
  }

  async function check(content: unknown): Promise<boolean> {
    const request = socketCheck.safeParse(content).data;
    if (request === undefined) return false;
    await checkSockets(deps, request);
    return true;
  }

  return createLeasedWorker(outbox, handle, {
    ...deps,
    queue: "socket-closures",
    handleDirect: check,
  });
}

/** Remove the push tokens of a removed device; it may have been registered again since, with new ones. Safe to repeat. */
async function removeTokensOfDevice(deps: Deps, { userId, removedDevice }: SocketClosure): Promise<void> {
  if (removedDevice === undefined) return;
  const { clientId, at } = removedDevice;
  await removePushTokens(
    { ...deps, outbox: deps.outgoing },
    userId,
    (token) => token.clientId === clientId && token.registeredAt <= at,
  );
}

/**
 * Check a user's sockets at the time when one of them was expected to end, and request another check if it stays open,
 * because its cookie was renewed or only its access token has expired. A request that arrives too early, because SQS
 * delays messages by at most 15 minutes, is repeated for as long as the socket is open.
 */
async function checkSockets(deps: Deps, check: SocketCheck): Promise<void> {
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
