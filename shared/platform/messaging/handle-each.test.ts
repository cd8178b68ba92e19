import type { SQSRecord } from "aws-lambda";
import { expect, it } from "vitest";
import { recordedLog } from "../../../test/support/recorded-log.ts";
import { handleEach } from "./handle-each.ts";

const Records = ["a", "b", "c"].map((messageId) => ({ messageId }) as SQSRecord);

async function handled(failing: readonly string[]) {
  const { log, metrics } = recordedLog();
  const handle = async ({ messageId }: SQSRecord) => {
    if (failing.includes(messageId)) throw new Error("failed");
  };
  const { batchItemFailures } = await handleEach({ Records }, handle, { queue: "mail", log });
  return { failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), metrics };
}

it("the failed messages of a batch are returned and counted", async () => {
  const { failed, metrics } = await handled(["a", "c"]);
  expect(failed).toEqual(["a", "c"]);
  expect(metrics).toMatchObject([{ queue: "mail", FailedItems: 2 }]);
});

it("the log of a failed message has the known data about it", async () => {
  const { log, lines } = recordedLog();
  const handle = async ({ messageId }: SQSRecord, about: { requestId?: string | undefined }) => {
    about.requestId = `request-${messageId}`;
    if (messageId === "b") throw new Error("failed");
  };
  await handleEach({ Records }, handle, { queue: "mail", log });
  expect(lines).toMatchObject([{ level: "error", sqsMessageId: "b", requestId: "request-b" }]);
});

it("no metric is written when no message fails", async () => {
  expect(await handled([])).toEqual({ failed: [], metrics: [] });
});
