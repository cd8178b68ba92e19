import { streams } from "#shared/data/notification/notification.ts";
import type { Entry, NotificationView } from "#shared/data/notification/notification-store.ts";
import type { DeviceQueue, Socket } from "#shared/data/socket/socket.ts";
import type { EventMessage, Recipient } from "#shared/events/event-message.ts";
import { eventFrame, notificationFrame } from "#shared/sockets/frames.ts";
import { maxFrameBytes } from "#shared/sockets/socket-poster.ts";
import type { Deps } from "./deps.ts";

/** Larger payloads are stored once when several recipients share them: a log entry stays within one write unit. */
const inlinePayloadBytes = 512;

/** Recipients that are served at the same time. */
const concurrency = 32;

/**
 * Store an event for each recipient, then post it to the sockets that are open. Storing is idempotent; posting may
 * repeat itself after a failure, which clients recognise by the notification's id.
 */
export async function deliverEvent(deps: Deps, message: EventMessage): Promise<void> {
  const payload = JSON.stringify([message.event]);
  const isShared = Buffer.byteLength(payload) > inlinePayloadBytes && message.recipients.length > 1;
  if (isShared) await deps.notifications.putSharedPayload(message.eventId, payload);
  const entry = {
    eventId: message.eventId,
    committedAt: message.committedAt,
    ...(isShared ? { hasSharedPayload: true } : { payload }),
  };

  const waiting = message.recipients.values();
  const serve = async () => {
    for (const recipient of waiting) await deliverTo(deps, message, recipient, entry);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, message.recipients.length) }, serve));
}

async function deliverTo(
  { notifications, sockets, deviceQueues, poster }: Deps,
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
    if ((await poster.post(socket.socketId, frame)) === "gone") await deviceQueues.retire(socket);
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

  await Promise.all([
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
