import type { EventMessage, Recipient } from "#shared/events/event-message.ts";
import { streams } from "#shared/events/notification.ts";
import type { Entry, NotificationView } from "#shared/events/notification-store.ts";
import { eventFrame, notificationFrame } from "#shared/events/sockets/frames.ts";
import type { DeviceQueue, Socket } from "#shared/events/sockets/socket.ts";
import { maxFrameBytes } from "#shared/events/sockets/socket-poster.ts";
import { maxItemTextBytes } from "#shared/platform/data/split-text.ts";
import type { Deps } from "./deps.ts";

/** Larger payloads are stored once for several recipients, so that a log entry stays within one write unit. */
const inlinePayloadBytes = 512;

/** Slightly longer than API Gateway waits for `$connect` to be answered. */
const handshakeMilliseconds = 30_000;

/** Recipients that are served concurrently. */
const concurrency = 32;

/**
 * Store an event for each recipient, then post it to the sockets that are open. Storing is idempotent; posting may be
 * repeated after a failure, which clients recognise by the notification's id.
 *
 * @param options.isRepeated whether the event may have been stored for some recipients already
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

/** Rejects like `Promise.all`, but only once all have settled: a running task would resume in a later invocation. */
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

  // Read after the append, so that a socket that opens later finds the event in the log.
  const { sockets: open, queues } = await sockets.ofUser(userId);
  const isFor = (clientId: string | undefined) =>
    clientIds === undefined || (clientId !== undefined && clientIds.includes(clientId));
  const isOrigin = ({ connectionId }: Socket) =>
    origin !== undefined && userId === origin.userId && connectionId === origin.connectionId;

  /** Ignores that a frame is too large for the socket: the client finds the notification in the log. */
  async function post(socket: Socket, frame: string): Promise<void> {
    const outcome = await poster.post(socket.socketId, frame);
    // While its `$connect` has not been answered, a socket looks as if it were gone.
    const isOpening = clock() - socket.openedAt < handshakeMilliseconds;
    if (outcome !== "gone" || !isOpening) await deviceQueues.afterPost(socket, outcome);
  }

  /** A `/events` socket without a device receives what goes to all devices, numbered from when it opened. */
  async function postNumbered(socket: Socket): Promise<void> {
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
      .map(postNumbered),
    ...queues.filter(({ clientId }) => isFor(clientId)).map(enqueue),
  ]);
}
