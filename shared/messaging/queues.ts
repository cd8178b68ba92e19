/** One SQS queue with a worker behind it; each gets a dead-letter queue of its own. */
export interface QueueSpec {
  /** Seconds that a worker has for one batch before SQS hands it out again. */
  readonly visibilityTimeoutSeconds: number;
  /** Failed receives before a message moves to the dead-letter queue. */
  readonly maxReceiveCount: number;
  readonly batchSize: number;
}

/** Every queue. CDK, the local runner and the functions' grants read this registry. */
export const queues = {
  /** E-mails and SMS to send. */
  mail: { visibilityTimeoutSeconds: 60, maxReceiveCount: 5, batchSize: 10 },
} as const satisfies Record<string, QueueSpec>;

export type QueueName = keyof typeof queues;
