import type { NotificationView } from "../notification-store.ts";

/** Frames that the service sends. */

/** A notification on `/await`. */
export const notificationFrame = ({ id, payload }: NotificationView, isTransient: boolean) =>
  JSON.stringify({ id, transient: isTransient, payload });

/** An event on `/events`. */
export const eventFrame = ({ id, payload }: NotificationView, deliveryTag: number) =>
  JSON.stringify({ type: "event", data: { event: { id, payload }, delivery_tag: deliveryTag } });

/** Says on `/events`, from version 9, that everything queued when the socket opened has been sent. */
export const synchronizationFrame = (markerId: string, deliveryTag: number) =>
  JSON.stringify({ type: "synchronization", data: { marker_id: markerId, delivery_tag: deliveryTag } });

/** Says on `/events` that events were lost, so that the client must fetch its state again. */
export const missedFrame = () => JSON.stringify({ type: "notifications_missed" });
