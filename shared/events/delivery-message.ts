import { createHash } from "node:crypto";
import * as z from "zod";
import { causedBy } from "#shared/platform/messaging/outbox-item.ts";
import { deliveryFields, recipientFields } from "./event-message.ts";

const recipient = z.object({
  ...recipientFields,
  /** As JSON, unless it is too large for the queue. */
  overlay: z.string().optional(),
  /** Where the overlay is stored, if it is too large for the queue. */
  overlayId: z.uuid().optional(),
  /** Size of the overlay. */
  overlayBytes: z.int().optional(),
});
export type DeliveryRecipient = z.infer<typeof recipient>;

/** Larger content is not sent through the queue, but stored and read from there. */
export const queueBytes = 16 * 1024;

/** One event for some recipients of a shard. */
const delivery = z.object({
  ...causedBy,
  ...deliveryFields,
  recipients: z.array(recipient),
  /** The event as JSON, unless it is too large for the queue. */
  event: z.string().optional(),
  /** Size of the event without overlays. */
  bytes: z.int(),
  /** Whether the event is stored under its id, for all recipients. */
  isShared: z.boolean(),
  /** Whether it may have been stored for some recipients already. */
  isRepeated: z.boolean(),
});
export type Delivery = z.infer<typeof delivery>;

/** Message of the queue `deliveries`: events for recipients of one shard, in order. */
export const deliveryMessage = z.object({ deliveries: z.array(delivery) });
export type DeliveryMessage = z.infer<typeof deliveryMessage>;

/** The shard of a recipient. Everything for a recipient goes through one shard, which one worker handles at a time. */
export const shardOf = (userId: string, shards: number): string =>
  String(createHash("sha256").update(userId).digest().readUInt32BE() % shards);
