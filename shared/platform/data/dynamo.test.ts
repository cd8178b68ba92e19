import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, it, vi } from "vitest";
import { transact } from "./conditions.ts";
import { createDynamo } from "./dynamo.ts";
import { ThrottledError } from "./store-errors.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

interface Failure {
  readonly type: string;
  /** Codes of a cancelled transaction. */
  readonly reasons?: readonly string[];
}

/** A DynamoDB that answers with these errors, one after the other, and then succeeds. */
async function failing(...failures: Failure[]) {
  const server = createServer((_, response) => {
    const failure = failures.shift();
    const body = failure && {
      __type: `com.amazonaws.dynamodb.v20120810#${failure.type}`,
      CancellationReasons: failure.reasons?.map((Code) => ({ Code })),
    };
    response.writeHead(body === undefined ? 200 : 400, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${port}`);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  return { dynamo: createDynamo(), [Symbol.dispose]: () => server.close() };
}

const put = new PutCommand({ TableName: "any", Item: { pk: "a" } });
const writes = ["a", "b"].map((pk) => ({ item: { Put: { TableName: "any", Item: { pk } } } }));

it("the client retries a write that conflicts with a transaction on its item", async () => {
  const conflict = { type: "TransactionConflictException" };
  using failure = await failing(conflict, conflict);
  await expect(failure.dynamo.send(put)).resolves.toBeDefined();
});

it("the client retries a transaction whose first call is still under way", async () => {
  const inProgress = { type: "TransactionInProgressException" };
  using failure = await failing(inProgress, inProgress);
  await expect(transact(failure.dynamo, writes)).resolves.toBeUndefined();
});

it.each(["ThrottlingError", "ProvisionedThroughputExceeded", "TransactionConflict"])(
  "retries a transaction cancelled by %s",
  async (reason) => {
    const cancelled = { type: "TransactionCanceledException", reasons: ["None", reason] };
    using failure = await failing(cancelled, cancelled, cancelled);
    await expect(transact(failure.dynamo, writes)).resolves.toBeUndefined();
  },
);

it("the client reports a transaction that stays throttled as a failure, not as a conflict", async () => {
  const throttled = { type: "TransactionCanceledException", reasons: ["None", "ThrottlingError"] };
  using failure = await failing(...Array(10).fill(throttled));
  await expect(transact(failure.dynamo, writes)).rejects.toBeInstanceOf(ThrottledError);
});

it("the client does not retry other errors", async () => {
  using failure = await failing({ type: "ConditionalCheckFailedException" });
  await expect(failure.dynamo.send(put)).rejects.toBeInstanceOf(ConditionalCheckFailedException);
  await expect(
    failure.dynamo.send(new GetCommand({ TableName: "any", Key: { pk: "a" } })),
  ).resolves.toBeDefined();
});
