import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { startQueuePoller } from "./queue-poller.ts";

/** A queue that hands out one batch of messages, named by their group and number, and records what is deleted. */
function queueWith(ids: readonly string[]) {
  const deleted: string[] = [];
  let batch = ids.map((id) => ({ MessageId: id, ReceiptHandle: id, Attributes: { MessageGroupId: id[0] } }));
  const client = {
    async send({ input }: { input: { Entries?: { Id: string }[] } }, options?: { abortSignal: AbortSignal }) {
      if (input.Entries !== undefined) {
        deleted.push(...input.Entries.map(({ Id }) => Id));
        return {};
      }
      const Messages = batch;
      batch = [];
      if (Messages.length > 0) return { Messages };
      return new Promise((_, reject) => {
        options?.abortSignal.addEventListener("abort", () => reject(options.abortSignal.reason));
      });
    },
  };
  return { client: client as unknown as SQSClient, deleted };
}

test("after a failure, later messages of its group are kept, whether they are reported or not", async () => {
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
