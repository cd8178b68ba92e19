/** One SQS queue; each gets a dead-letter queue of its own. */
export interface QueueSpec {
  /** Seconds that a worker has for one batch before SQS delivers it again. */
  readonly visibilityTimeoutSeconds: number;
  /** Failed receives before a message moves to the dead-letter queue. */
  readonly maxReceiveCount: number;
  /** Messages that its worker gets at a time. */
  readonly batchSize?: number;
  /** Batches that its worker handles at the same time, unless a stage says otherwise: more where it mostly waits. */
  readonly concurrency?: number;
  /** Seconds before a message can be received, unless the message sets its own delay. */
  readonly deliveryDelaySeconds?: number;
  /**
   * The longest that a message may be held back on purpose, by its sender or its workers: no sender asks for more, and the
   * alarm on the age of messages allows for it.
   */
  readonly longestDelaySeconds?: number;
  /** Whether messages of one group are handled in order, one at a time. */
  readonly isFifo: boolean;
  /** Whether only AWS sends to it, so that its messages are not in the outbox. */
  readonly isFedByAws?: boolean;
  /** Whether its messages may get lost when their sender dies, so that they are not in the outbox. */
  readonly isUnbacked?: boolean;
  /** The queue whose worker fills this one from the outbox: its messages are received by the operator, not by us. */
  readonly forwardedBy?: string;
}

/** Every queue. CDK, the local runner and the functions' grants read this registry. */
export const queues = {
  /** Emails and SMS to send. */
  mail: { visibilityTimeoutSeconds: 60, maxReceiveCount: 5, batchSize: 10, isFifo: false },
  /**
   * Events to pass on to the shards of their recipients, in order per group, such as a user or a conversation. Events
   * that the queue carries itself are parked after 25 receives, or after 50 if two in a row fail.
   */
  events: { visibilityTimeoutSeconds: 60, maxReceiveCount: 55, batchSize: 10, isFifo: true },
  /** Events on their way to their recipients, in order per shard of recipients. */
  deliveries: { visibilityTimeoutSeconds: 30, maxReceiveCount: 35, batchSize: 10, isFifo: true },
  /** Events to send to the services of bots, in order per bot. */
  "bot-events": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 30,
    batchSize: 10,
    isFifo: true,
    isUnbacked: true,
    concurrency: 50,
  },
  /** The same for bots whose services are slow or fail, so that no other bot waits for them. */
  "slow-bot-events": {
    visibilityTimeoutSeconds: 180,
    longestDelaySeconds: 120,
    maxReceiveCount: 30,
    batchSize: 10,
    isFifo: true,
    isUnbacked: true,
    concurrency: 50,
  },
  /** Devices to wake, in order per endpoint of their push token. */
  "native-pushes": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 30,
    batchSize: 10,
    isFifo: true,
    isUnbacked: true,
  },
  /** Endpoints of push tokens that users have left, and reports of SNS about endpoints. */
  "push-endpoints": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 5,
    batchSize: 10,
    isFifo: false,
  },
  /** Users whose entries in the search index may be out of date. */
  "search-index": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 5,
    batchSize: 10,
    isFifo: false,
  },
  /** Bounces and complaints about emails. */
  "mail-feedback": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 5,
    batchSize: 10,
    isFifo: false,
    isFedByAws: true,
  },
  /**
   * Users with sockets that may have to close. The delay lets events that report the reason arrive first, and the
   * timeout is short so that a check that failed is soon tried again.
   */
  "socket-closures": {
    visibilityTimeoutSeconds: 20,
    // The longest that SQS allows: a check that lies further ahead is requested again.
    longestDelaySeconds: 900,
    maxReceiveCount: 5,
    batchSize: 10,
    deliveryDelaySeconds: 2,
    isFifo: false,
  },
  /** Deleted accounts whose data must be erased. */
  erasures: {
    visibilityTimeoutSeconds: 300,
    longestDelaySeconds: 60,
    maxReceiveCount: 5,
    batchSize: 1,
    isFifo: false,
  },
  /** Work that may take longer in a large team than a request: its deletion, and the suspension of its members. */
  "team-jobs": {
    visibilityTimeoutSeconds: 300,
    longestDelaySeconds: 20,
    maxReceiveCount: 5,
    batchSize: 1,
    isFifo: false,
  },
  /** Work that may take longer with many users of an identity provider than a request: their deletion. */
  "provisioning-jobs": {
    visibilityTimeoutSeconds: 300,
    longestDelaySeconds: 30,
    maxReceiveCount: 5,
    batchSize: 1,
    isFifo: false,
  },
  /**
   * Work that may take longer in a large conversation than a request: its deletion, and the removal of many members.
   */
  "conversation-jobs": {
    visibilityTimeoutSeconds: 300,
    longestDelaySeconds: 60,
    maxReceiveCount: 5,
    batchSize: 1,
    isFifo: false,
  },
  /** Work that may take longer with many bots than a request: deleting services and providers, and leaving teams. */
  "service-jobs": {
    visibilityTimeoutSeconds: 300,
    maxReceiveCount: 5,
    batchSize: 1,
    isFifo: false,
  },
  /** Events of conversations with Cells, for software of the operator, in order per conversation. */
  "cells-events": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 5,
    isFifo: true,
    forwardedBy: "events",
  },
  /** Webhooks with waiting events whose receivers have answered quickly so far. */
  "webhook-deliveries": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 5,
    batchSize: 10,
    isFifo: false,
    isUnbacked: true,
  },
  /** The same for receivers that are new, slow or fail, so that no other one waits for them. */
  "slow-webhook-deliveries": {
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 5,
    batchSize: 10,
    isFifo: false,
    isUnbacked: true,
  },
} as const satisfies Record<string, QueueSpec>;

export type QueueName = keyof typeof queues;

/** Queues that workers of ours receive from. */
export type WorkerQueueName = {
  [Name in QueueName]: (typeof queues)[Name] extends { readonly forwardedBy: string } ? never : Name;
}[QueueName];

/** The queue with the nudges for another queue's messages in the outbox: nearly always that queue itself. */
export function nudgeQueueOf(queue: QueueName): WorkerQueueName {
  const { forwardedBy = queue }: QueueSpec = queues[queue];
  return forwardedBy as WorkerQueueName;
}

/** Queues whose messages pass through the outbox. */
export const outboxQueues = (Object.entries(queues) as [QueueName, QueueSpec][])
  .filter(([, { isFedByAws = false, isUnbacked = false }]) => !isFedByAws && !isUnbacked)
  .map(([name]) => name);
