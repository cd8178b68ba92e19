import * as z from "zod";
import type { QueueName } from "./queues.ts";

/** What a queue carries: the way to the message, not its content. */
export const outboxKey = z.object({
  /** `<queue>#<number>` */
  shard: z.string(),
  /** Begins with the time of the commit (ISO 8601), so that a shard is in order of age. */
  messageId: z.string(),
});
export type OutboxKey = z.infer<typeof outboxKey>;

/** A message as it is stored. */
export const storedMessage = outboxKey.extend({
  /** JSON: as attributes, DynamoDB would take neither large numbers nor deep nesting. */
  payload: z.string().optional(),
  /** Items that hold the payload when it is too large for this one. */
  parts: z.int().optional(),
  /** Messages of one group are handled in order; those of a FIFO queue have one. */
  group: z.string().optional(),
  /** Times that a worker has taken it on and not finished. */
  deliveries: z.int(),
  /** Unix milliseconds until which a worker has it in hand. */
  leasedUntil: z.int().optional(),
});
export type StoredMessage = z.infer<typeof storedMessage>;

/** A message with its payload. */
export type OutboxItem = Omit<StoredMessage, "payload"> & { readonly payload: unknown };

/** Keys of the items that hold a large payload. They are in no shard, so that nobody takes them for messages. */
export const partKeys = ({ messageId, parts = 0 }: Pick<StoredMessage, "messageId" | "parts">): OutboxKey[] =>
  Array.from({ length: parts }, (_, part) => ({ shard: `parts#${messageId}`, messageId: String(part) }));

/** What the worker of a FIFO queue is told: handle this group's messages up to this one. */
export const groupNudge = outboxKey.extend({ group: z.string() });
export type GroupNudge = z.infer<typeof groupNudge>;

/** Deliveries after which the sweeper leaves a message to the operator (its copies lie in the dead-letter queue). */
export const maxDeliveries = 12;

export const shardName = (queue: QueueName, shard: number) => `${queue}#${shard}`;
