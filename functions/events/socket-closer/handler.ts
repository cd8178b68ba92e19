import { removePushTokens } from "#shared/events/push/remove-push-tokens.ts";
import { type SocketClosure, socketCheck, socketClosure } from "#shared/events/sockets/socket-closure.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { checkSockets } from "./check-sockets.ts";
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
