import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { QueueSpec } from "#shared/registry/queues.ts";

export interface LocalQueue {
  readonly url: string;
  readonly arn: string;
}

const retentionSeconds = 14 * 86_400;

/** Attributes that cannot change after the creation of a queue. */
const fifoAttributes = {
  FifoQueue: "true",
  DeduplicationScope: "messageGroup",
  FifoThroughputLimit: "perMessageGroupId",
};

/**
 * Create a queue and its dead-letter queue unless they exist. If they are FIFO queues, both get the suffix that SQS
 * demands.
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
      ? ensureQueue(sqs, { name: `${name}.fifo`, attributes, fixed: fifoAttributes }, endpoint)
      : ensureQueue(sqs, { name, attributes, fixed: {} }, endpoint);
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

interface WantedQueue {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly fixed: Record<string, string>;
}

async function ensureQueue(sqs: SQSClient, wanted: WantedQueue, endpoint: string): Promise<LocalQueue> {
  const url = await createOrFind(sqs, wanted, endpoint);
  const [account, nameInPath] = url.split("/").slice(-2);
  return { url, arn: `arn:aws:sqs:${await sqs.config.region()}:${account}:${nameInPath}` };
}

async function createOrFind(
  sqs: SQSClient,
  { name, attributes, fixed }: WantedQueue,
  endpoint: string,
): Promise<string> {
  const atEndpoint = (url = "") => new URL(new URL(url).pathname, endpoint).href;
  try {
    const create = new CreateQueueCommand({ QueueName: name, Attributes: { ...attributes, ...fixed } });
    return atEndpoint((await sqs.send(create)).QueueUrl);
  } catch (error) {
    // An emulator may qualify the error's name, so that the SDK does not recognise its class.
    if (!(error instanceof Error && error.name.endsWith("QueueNameExists"))) throw error;
  }
  // The queue exists, with the attributes of an earlier run.
  const found = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
  const url = atEndpoint(found.QueueUrl);
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: attributes }));
  return url;
}
