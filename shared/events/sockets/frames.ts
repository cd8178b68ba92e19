import * as z from "zod";
import type { NotificationView } from "../notification-store.ts";

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

/** The answer to `ping`, which clients send to see whether their socket is alive. */
export const pong = "pong";

/** Frames that clients send on `/events`. */
export const clientFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ack"),
    data: z.object({ delivery_tag: z.int().min(0), multiple: z.boolean().default(false) }),
  }),
  z.object({ type: z.literal("ack_full_sync") }),
]);

/** Types of these frames. Only these have to reach a function; all other frames are answered like a ping. */
export const acknowledgementTypes = ["ack", "ack_full_sync"] as const satisfies readonly z.infer<
  typeof clientFrame
>["type"][];

/** Whether a frame claims to be one of these; the rest of it may be wrong. */
export const isAcknowledgementType = (type: unknown): boolean =>
  acknowledgementTypes.some((one) => one === type);
