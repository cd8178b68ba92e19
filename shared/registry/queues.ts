/** One SQS queue with a worker; each gets a dead-letter queue of its own. */
export interface QueueSpec {
  /** Seconds that a worker has for one batch before SQS delivers it again. */
  readonly visibilityTimeoutSeconds: number;
  /** Failed receives before a message moves to the dead-letter queue. */
  readonly maxReceiveCount: number;
  readonly batchSize: number;
  /** Whether messages of one group are handled in order, one at a time. */
  readonly isFifo: boolean;
}

/** Every queue. CDK, the local runner and the functions' grants read this registry. */
export const queues = {
  /** E-mails and SMS to send. */
  mail: { visibilityTimeoutSeconds: 60, maxReceiveCount: 5, batchSize: 10, isFifo: false },
  /** Events to hand on to the shards of their recipients, in order per sender. */
  events: { visibilityTimeoutSeconds: 60, maxReceiveCount: 5, batchSize: 10, isFifo: true },
  /** Events on their way to their recipients, in order per shard of recipients. */
  deliveries: { visibilityTimeoutSeconds: 30, maxReceiveCount: 5, batchSize: 10, isFifo: true },
  /** Users whose entries in the search index may be out of date. */
  "search-index": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 5,
    batchSize: 10,
    isFifo: false,
  },
  /** Deleted accounts whose data must be erased. */
  erasures: {
    visibilityTimeoutSeconds: 300,
    maxReceiveCount: 5,
    batchSize: 1,
    isFifo: false,
  },
} as const satisfies Record<string, QueueSpec>;

export type QueueName = keyof typeof queues;
