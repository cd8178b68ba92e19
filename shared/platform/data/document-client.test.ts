import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, it, vi } from "vitest";
import { createDocumentClient } from "./document-client.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A DynamoDB whose items have the key that they are asked for by. */
async function startEcho() {
  const server = createServer(async (request, response) => {
    const { Key } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify({ Item: Key }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = createDocumentClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  return { client, [Symbol.dispose]: () => server.close() };
}

it("the document client builds the middleware of a kind of command once, which the SDK does for each call", async () => {
  const builds = vi.spyOn(GetItemCommand.prototype, "resolveMiddleware");
  using echo = await startEcho();
  const keys = [{ pk: "a" }, { pk: "b" }, { pk: "c" }];
  const answers = await Promise.all(
    keys.map((Key) => echo.client.send(new GetCommand({ TableName: "any", Key }))),
  );
  expect(answers.map(({ Item }) => Item)).toEqual(keys);
  expect(builds).toHaveBeenCalledTimes(1);
});
