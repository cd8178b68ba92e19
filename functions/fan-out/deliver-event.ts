import { streams } from "#shared/data/notification/notification.ts";
import type { Entry, NotificationView } from "#shared/data/notification/notification-store.ts";
import type { DeviceQueue, Socket } from "#shared/data/socket/socket.ts";
import { maxItemTextBytes } from "#shared/data/split-text.ts";
import type { EventMessage, Recipient } from "#shared/events/event-message.ts";
import { eventFrame, notificationFrame } from "#shared/sockets/frames.ts";
import { maxFrameBytes } from "#shared/sockets/socket-poster.ts";
import type { Deps } from "./deps.ts";

/** Larger payloads are stored once when several recipients share them: a log entry stays within one write unit. */
const inlinePayloadBytes = 512;

/** Longest that API Gateway waits for the answer of `$connect`, and a little more. */
const handshakeMilliseconds = 30_000;

/** Recipients that are served at the same time. */
const concurrency = 32;

/**
 * Store an event for each recipient, then post it to the sockets that are open. Storing is idempotent; posting may
 * repeat itself after a failure, which clients recognise by the notification's id.
 *
 * @param options.isRepeated whether it may have been stored for some recipients already
 */
export async function deliverEvent(
  deps: Deps,
  message: EventMessage,
  { isRepeated }: { isRepeated: boolean },
): Promise<void> {
  const payload = JSON.stringify([message.event]);
  const isForSeveral = message.recipients.length > 1 || message.contactsOf !== undefined;
  const isShared = Buffer.byteLength(payload) > (isForSeveral ? inlinePayloadBytes : maxItemTextBytes);
  if (isShared) await deps.notifications.putSharedPayload(message.eventId, payload);
  const entry = {
    eventId: message.eventId,
    committedAt: message.committedAt,
    isRepeated,
    ...(isShared ? { hasSharedPayload: true } : { payload }),
  };

  const waiting = recipientsOf(deps, message);
  const serve = async () => {
    for (;;) {
      const { done, value } = await waiting.next();
      if (done) return;
      await deliverTo(deps, message, value, entry);
    }
  };
  await allDone(Array.from({ length: concurrency }, serve));
}

async function* recipientsOf(
  { connections }: Deps,
  { recipients, contactsOf }: EventMessage,
): AsyncGenerator<Recipient> {
  yield* recipients;
  if (contactsOf === undefined) return;
  for await (const { peerId, status } of connections.ofUser(contactsOf)) {
    if (status === "accepted") yield { userId: peerId };
  }
}

/** Fails like `Promise.all`, but only when nothing goes on: what is left under way wakes up in a later invocation. */
async function allDone(tasks: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(tasks);
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}

async function deliverTo(
  { clock, notifications, sockets, deviceQueues, poster }: Deps,
  { event, eventId, isTransient, origin }: EventMessage,
  { userId, clientIds }: Recipient,
  entry: Entry,
): Promise<void> {
  const stored = isTransient
    ? undefined
    : await notifications.append(streams.user(userId), { ...entry, clientIds });
  const view: NotificationView = { id: stored?.id ?? eventId, payload: [event] };

  // After the append: a socket that opens later finds the event in the log.
  const { sockets: open, queues } = await sockets.ofUser(userId);
  const isFor = (clientId: string | undefined) =>
    clientIds === undefined || (clientId !== undefined && clientIds.includes(clientId));
  const isOrigin = ({ connectionId }: Socket) =>
    origin !== undefined && userId === origin.userId && connectionId === origin.connectionId;

  /** A frame that is too large for a socket lies in the log, where the client finds it. */
  async function post(socket: Socket, frame: string): Promise<void> {
    const outcome = await poster.post(socket.socketId, frame);
    // While its `$connect` has not been answered, a socket looks as if it were gone.
    const isOpening = clock() - socket.openedAt < handshakeMilliseconds;
    if (outcome === "gone" && !isOpening) await deviceQueues.retire(socket);
  }

  /** `/events` without a device: what goes to all devices, numbered from the opening of the socket on. */
  async function postTemporarily(socket: Socket): Promise<void> {
    const deliveryTag = await sockets.countDelivery(socket);
    if (deliveryTag !== undefined) await post(socket, eventFrame(view, deliveryTag));
  }

  async function enqueue({ clientId, activeSocketId }: DeviceQueue): Promise<void> {
    const isTooLarge = Buffer.byteLength(eventFrame(view, Number.MAX_SAFE_INTEGER)) > maxFrameBytes;
    if (!isTransient && isTooLarge) await deviceQueues.noteMissed(userId, clientId);
    else if (!isTransient) await deviceQueues.enqueue(userId, clientId, entry);
    else if (activeSocketId !== undefined && !isTooLarge) {
      await deviceQueues.enqueue(userId, clientId, { ...entry, onlySocketId: activeSocketId });
    }
  }

  await allDone([
    ...open
      .filter(({ endpoint, clientId }) => endpoint === "await" && (clientId === undefined || isFor(clientId)))
      .filter((socket) => !isOrigin(socket))
      .map((socket) => post(socket, notificationFrame(view, isTransient))),
    ...open
      .filter(
        ({ endpoint, clientId }) =>
          endpoint === "events" && clientId === undefined && clientIds === undefined,
      )
      .map(postTemporarily),
    ...queues.filter(({ clientId }) => isFor(clientId)).map(enqueue),
  ]);
}
