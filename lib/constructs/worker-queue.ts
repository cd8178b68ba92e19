import { Duration } from "aws-cdk-lib";
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { type QueueName, type QueueSpec, queues } from "#shared/registry/queues.ts";

interface WorkerQueueProps {
  readonly name: QueueName;
}

/**
 * Each group has its own throughput limit. Senders set the deduplication id: two messages with equal bodies are both
 * delivered.
 */
const highThroughputFifo: QueueProps = {
  fifo: true,
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
};

/** The longest that SQS allows. */
const longestRetention = Duration.days(14);

/**
 * One row of the queue registry, with a dead-letter queue that keeps the messages its worker cannot handle for 14 days.
 */
export class WorkerQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, { name }: WorkerQueueProps) {
    super(scope, `${name}-queue`);
    const { visibilityTimeoutSeconds, maxReceiveCount, deliveryDelaySeconds, isFifo }: QueueSpec =
      queues[name];
    const shared = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Some messages are stored nowhere else.
      retentionPeriod: longestRetention,
      ...(isFifo && highThroughputFifo),
    };
    this.deadLetters = new Queue(this, "DeadLetters", shared);
    this.queue = new Queue(this, "Queue", {
      ...shared,
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      ...(deliveryDelaySeconds !== undefined && { deliveryDelay: Duration.seconds(deliveryDelaySeconds) }),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
  }
}
