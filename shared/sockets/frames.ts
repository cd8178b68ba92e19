import type { NotificationView } from "../data/notification/notification-store.ts";

/** Frames that the service sends (spec heading Event stream and notifications). */

/** `/await` */
export const notificationFrame = ({ id, payload }: NotificationView, isTransient: boolean) =>
  JSON.stringify({ id, transient: isTransient, payload });

/** `/events` */
export const eventFrame = ({ id, payload }: NotificationView, deliveryTag: number) =>
  JSON.stringify({ type: "event", data: { event: { id, payload }, delivery_tag: deliveryTag } });

/** `/events`, from version 9: all that was queued when the socket opened has been sent. */
export const synchronizationFrame = (markerId: string, deliveryTag: number) =>
  JSON.stringify({ type: "synchronization", data: { marker_id: markerId, delivery_tag: deliveryTag } });

/** `/events`: events were lost; the client has to fetch its state anew. */
export const missedFrame = () => JSON.stringify({ type: "notifications_missed" });
