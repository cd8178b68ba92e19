import { CreateQueueCommand, GetQueueUrlCommand, QueueNameExists, type SQSClient } from "@aws-sdk/client-sqs";
import type { QueueSpec } from "#shared/registry/queues.ts";

export interface LocalQueue {
  readonly url: string;
  readonly arn: string;
}

const retentionSeconds = 14 * 86_400;

const fifoAttributes = {
  FifoQueue: "true",
  DeduplicationScope: "messageGroup",
  FifoThroughputLimit: "perMessageGroupId",
};

/**
 * Create a queue and its dead-letter queue unless they exist. If FIFO, both get the suffix that SQS demands.
 * @param endpoint address of SQS: the SDK sends to the host of the queue URL, and that of the emulator may not resolve
 */
export async function createQueue(
  sqs: SQSClient,
  queueName: string,
  spec: QueueSpec,
  endpoint: string,
): Promise<LocalQueue> {
  const ensure = (name: string, attributes: Record<string, string>) =>
    spec.isFifo
      ? ensureQueue(sqs, `${name}.fifo`, { ...attributes, ...fifoAttributes }, endpoint)
      : ensureQueue(sqs, name, attributes, endpoint);
  const deadLetters = await ensure(`${queueName}-dead-letters`, {
    MessageRetentionPeriod: String(retentionSeconds),
  });
  return ensure(queueName, {
    VisibilityTimeout: String(spec.visibilityTimeoutSeconds),
    DelaySeconds: String(spec.deliveryDelaySeconds ?? 0),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: deadLetters.arn,
      maxReceiveCount: spec.maxReceiveCount,
    }),
  });
}

async function ensureQueue(
  sqs: SQSClient,
  name: string,
  attributes: Record<string, string>,
  endpoint: string,
): Promise<LocalQueue> {
  const { pathname } = new URL(await createOrFind(sqs, name, attributes));
  const [account, nameInPath] = pathname.split("/").slice(-2);
  return {
    url: new URL(pathname, endpoint).href,
    arn: `arn:aws:sqs:${await sqs.config.region()}:${account}:${nameInPath}`,
  };
}

async function createOrFind(
  sqs: SQSClient,
  name: string,
  attributes: Record<string, string>,
): Promise<string> {
  try {
    const created = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
    return created.QueueUrl ?? "";
  } catch (error) {
    // The queue exists with other attributes, which it keeps.
    if (!(error instanceof QueueNameExists)) throw error;
  }
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
  return QueueUrl ?? "";
}
