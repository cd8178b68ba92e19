import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { checkGivenEndpoints } from "./given-endpoints.ts";

test("an endpoint is accepted if it gives any answer", async () => {
  const server = createServer((_, response) => response.writeHead(400).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await checkGivenEndpoints({ AWS_ENDPOINT_URL_DYNAMODB: url, AWS_ENDPOINT_URL_SQS: "", OTHER: "banana" });
  server.close();
  await once(server, "close");
  await expect(checkGivenEndpoints({ AWS_ENDPOINT_URL_DYNAMODB: url })).rejects.toThrow(
    `Nothing answers at AWS_ENDPOINT_URL_DYNAMODB, ${url}: `,
  );
});

test.each(["banana", "127.0.0.1:8000", "ftp://127.0.0.1"])("%s is refused as an endpoint", async (url) => {
  await expect(checkGivenEndpoints({ AWS_ENDPOINT_URL: url })).rejects.toThrow(
    "AWS_ENDPOINT_URL is no address",
  );
});
