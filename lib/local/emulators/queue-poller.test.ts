import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { startQueuePoller } from "./queue-poller.ts";

/** A queue that hands out these batches of messages, named by their group and number, and records deletions. */
function queueWith(...ids: readonly string[][]) {
  const deleted: string[] = [];
  const toMessage = (id: string) => ({
    MessageId: id,
    ReceiptHandle: id,
    Attributes: { MessageGroupId: id[0] },
  });
  const batches = ids.map((batch) => batch.map(toMessage));
  const client = {
    async send({ input }: { input: { Entries?: { Id: string }[] } }, options?: { abortSignal: AbortSignal }) {
      if (input.Entries !== undefined) {
        deleted.push(...input.Entries.map(({ Id }) => Id));
        return {};
      }
      const Messages = batches.shift();
      if (Messages !== undefined) return { Messages };
      return new Promise((_, reject) => {
        options?.abortSignal.addEventListener("abort", () => reject(options.abortSignal.reason));
      });
    },
  };
  return { client: client as unknown as SQSClient, deleted };
}

test("after a failure, later messages of its group stay in the queue, even if they are not reported", async () => {
  const { client, deleted } = queueWith(["a1", "b1", "a2", "b2", "a3"]);
  const poller = startQueuePoller({
    client,
    queue: { url: "queue", arn: "arn:aws:sqs:local:0:queue" },
    batchSize: 10,
    invoke: async () => ({ batchItemFailures: [{ itemIdentifier: "a2" }] }),
  });
  await expect.poll(() => deleted).toEqual(["a1", "b1", "b2"]);
  await poller.stop();
});

test("up to three slow batches do not delay others", async () => {
  const ids = ["a1", "b1", "c1", "d1", "e1", "f1"];
  const { client, deleted } = queueWith(...ids.map((id) => [id]));
  const received: string[] = [];
  const slow = Promise.withResolvers<void>();
  const poller = startQueuePoller({
    client,
    queue: { url: "queue", arn: "arn:aws:sqs:local:0:queue" },
    batchSize: 1,
    invoke: async ({ Records: [record] }) => {
      const id = record?.messageId ?? "";
      received.push(id);
      if (id !== "b1") await slow.promise;
    },
  });
  await expect.poll(() => received).toEqual(["a1", "b1", "c1", "d1", "e1"]);
  expect(deleted).toEqual(["b1"]);
  slow.resolve();
  await expect.poll(() => deleted.toSorted()).toEqual(ids);
  await poller.stop();
});
