import {
  ChangeMessageVisibilityCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { expect, onTestFinished, test } from "vitest";
import { batchGroups } from "./group-batches.ts";
import { load } from "./package-parts.ts";
import { startQueueService } from "./queue-service.ts";
import { createQueue } from "./queues.ts";

test("a receiver gets several messages of a group at a time, and returned messages keep their order", async () => {
  const { SqsQueue } = await load("sqs/sqsStore.js");
  const { dequeue } = SqsQueue.prototype;
  await batchGroups();
  const { url: endpoint, stop } = await startQueueService({ region: "eu-central-1", folder: undefined });
  onTestFinished(async () => {
    SqsQueue.prototype.dequeue = dequeue;
    await stop();
  });
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const sqs = new SQSClient({ endpoint, region: "eu-central-1", credentials });
  const spec = { visibilityTimeoutSeconds: 60, maxReceiveCount: 10, isFifo: true };
  const { url: QueueUrl } = await createQueue(sqs, "groups-test", spec, endpoint);
  for (const MessageBody of ["a1", "a2", "b1", "a3", "a4"]) {
    const ids = { MessageGroupId: MessageBody.slice(0, 1), MessageDeduplicationId: MessageBody };
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...ids }));
  }
  const receive = async (MaxNumberOfMessages: number) => {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages }));
    return Messages;
  };
  const bodies = (messages: Awaited<ReturnType<typeof receive>>) =>
    messages.map(({ Body }) => Body).toSorted();
  const first = await receive(4);
  expect(bodies(first)).toEqual(["a1", "a2", "a3", "b1"]);
  expect(await receive(10)).toEqual([]);
  const [one, two, three] = first.filter(({ Body }) => Body?.startsWith("a"));
  for (const ReceiptHandle of [one, three, two].map((message) => message?.ReceiptHandle)) {
    await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
  }
  expect((await receive(10)).map(({ Body }) => Body)).toEqual(["a1", "a2", "a3", "a4"]);
});
