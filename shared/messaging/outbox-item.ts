import * as z from "zod";

/** Partitions of the outbox per queue: a busy queue is spread, the sweeper queries each. */
export const shardsPerQueue = 4;

/** What a queue carries: the way to the message, not its content. */
export const outboxKey = z.object({
  /** `<queue>#<number>` */
  shard: z.string(),
  /** Begins with the time of the commit (ISO 8601), so that a shard is in order of age. */
  messageId: z.string(),
});
export type OutboxKey = z.infer<typeof outboxKey>;

export const outboxItem = outboxKey.extend({
  payload: z.unknown(),
  /** Times that a worker has taken it on. */
  deliveries: z.int(),
  /** Unix milliseconds until which a worker has it in hand. */
  leasedUntil: z.int().optional(),
});
export type OutboxItem = z.infer<typeof outboxItem>;

/** Deliveries after which the sweeper leaves a message to the operator (its copies lie in the dead-letter queue). */
export const maxDeliveries = 12;
