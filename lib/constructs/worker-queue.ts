import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { type QueueName, queues } from "#shared/messaging/queues.ts";

interface WorkerQueueProps {
  readonly name: QueueName;
}

/** One row of the queue registry, with the dead-letter queue that keeps for 14 days what its worker cannot handle. */
export class WorkerQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, { name }: WorkerQueueProps) {
    super(scope, `${name}-queue`);
    const { visibilityTimeoutSeconds, maxReceiveCount } = queues[name];
    const encrypted = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    this.deadLetters = new Queue(this, "DeadLetters", { ...encrypted, retentionPeriod: Duration.days(14) });
    this.queue = new Queue(this, "Queue", {
      ...encrypted,
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
  }
}
