import * as z from "zod";
import type { QueueName } from "#shared/registry/queues.ts";

/** What a queue carries: the key of the message, not its content. */
export const outboxKey = z.object({
  /** `<queue>#<number>` */
  shard: z.string(),
  /** Starts with the time of the commit (ISO 8601), so that a shard is sorted by age. */
  messageId: z.string(),
});
export type OutboxKey = z.infer<typeof outboxKey>;

/** A message as it is stored. */
export const storedMessage = outboxKey.extend({
  /** JSON text, because DynamoDB attributes allow neither large numbers nor deep nesting. */
  payload: z.string().optional(),
  /** Number of items that hold the payload when it is too large for this one. */
  parts: z.int().optional(),
  /** Messages of one group are handled in order; every message of a FIFO queue has a group. */
  group: z.string().optional(),
  /** How often a worker has leased it without finishing. */
  deliveries: z.int(),
  /** Unix milliseconds until which a worker has leased it. */
  leasedUntil: z.int().optional(),
});
export type StoredMessage = z.infer<typeof storedMessage>;

/** A message with its payload. */
export type OutboxItem = Omit<StoredMessage, "payload"> & { readonly payload: unknown };

/** Keys of the items that hold a large payload. They are outside the shards, so that nobody takes them for messages. */
export const partKeys = ({ messageId, parts = 0 }: Pick<StoredMessage, "messageId" | "parts">): OutboxKey[] =>
  Array.from({ length: parts }, (_, part) => ({ shard: `parts#${messageId}`, messageId: String(part) }));

/** What a FIFO queue carries: its worker handles the group's messages up to and including this one. */
export const groupNudge = outboxKey.extend({ group: z.string() });
export type GroupNudge = z.infer<typeof groupNudge>;

/** Deliveries after which the sweeper leaves a message to the operator (its copies are in the dead-letter queue). */
export const maxDeliveries = 12;

/** Partition key of a shard. */
export const shardName = (queue: QueueName, shard: number) => `${queue}#${shard}`;
