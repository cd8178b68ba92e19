import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { QueueSpec } from "#shared/messaging/queues.ts";

export interface LocalQueue {
  readonly url: string;
  readonly arn: string;
}

const fourteenDays = 14 * 86_400;

const fifoAttributes = {
  FifoQueue: "true",
  DeduplicationScope: "messageGroup",
  FifoThroughputLimit: "perMessageGroupId",
};

/**
 * Create a queue and its dead-letter queue unless they exist. Those of a FIFO queue get the suffix that SQS demands.
 * @param endpoint address of SQS: the SDK sends to the host of the queue URL, and the one given out may not resolve
 */
export async function createQueue(
  client: SQSClient,
  queueName: string,
  spec: QueueSpec,
  endpoint: string,
): Promise<LocalQueue> {
  const ensure = (name: string, attributes: Record<string, string>) =>
    spec.isFifo
      ? ensureQueue(client, `${name}.fifo`, { ...attributes, ...fifoAttributes }, endpoint)
      : ensureQueue(client, name, attributes, endpoint);
  const deadLetters = await ensure(`${queueName}-dead-letters`, {
    MessageRetentionPeriod: String(fourteenDays),
  });
  return ensure(queueName, {
    VisibilityTimeout: String(spec.visibilityTimeoutSeconds),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: deadLetters.arn,
      maxReceiveCount: spec.maxReceiveCount,
    }),
  });
}

async function ensureQueue(
  client: SQSClient,
  name: string,
  attributes: Record<string, string>,
  endpoint: string,
): Promise<LocalQueue> {
  const given = await findOrCreate(client, name, attributes);
  const url = new URL(new URL(given).pathname, endpoint).href;
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }),
  );
  return { url, arn: Attributes?.QueueArn ?? "" };
}

async function findOrCreate(
  client: SQSClient,
  name: string,
  attributes: Record<string, string>,
): Promise<string> {
  try {
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
    return QueueUrl ?? "";
  } catch (error) {
    if (!(error instanceof QueueDoesNotExist)) throw error;
  }
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  return QueueUrl ?? "";
}
