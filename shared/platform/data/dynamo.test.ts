import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, it, vi } from "vitest";
import { createDynamo } from "./dynamo.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A DynamoDB that answers with these errors, one after the other, and then succeeds. */
async function failing(...types: string[]) {
  const server = createServer((_, response) => {
    const type = types.shift();
    const body = type === undefined ? {} : { __type: `com.amazonaws.dynamodb.v20120810#${type}` };
    response.writeHead(type === undefined ? 200 : 400, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(body));
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

it("retries a write that conflicts with a transaction on its item", async () => {
  using failure = await failing("TransactionConflictException", "TransactionConflictException");
  await expect(failure.dynamo.send(put)).resolves.toBeDefined();
});

it("does not retry other errors", async () => {
  using failure = await failing("ConditionalCheckFailedException");
  await expect(failure.dynamo.send(put)).rejects.toBeInstanceOf(ConditionalCheckFailedException);
  await expect(
    failure.dynamo.send(new GetCommand({ TableName: "any", Key: { pk: "a" } })),
  ).resolves.toBeDefined();
});
