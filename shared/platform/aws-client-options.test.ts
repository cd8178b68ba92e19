import { globSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { awsClientOptions } from "./aws-client-options.ts";

const root = join(import.meta.dirname, "../..");
const sources = globSync("{functions,shared}/**/*.ts", { cwd: root }).filter(
  (file) => !file.endsWith(".test.ts"),
);

it("the client options are used for every client of a function", () => {
  const clients = sources.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const names = [...text.matchAll(/^import .*?\b(\w+Client)\b.*? from "@aws-sdk\/client-/gms)];
    return names.flatMap(([, name]) =>
      [...text.matchAll(new RegExp(`new ${name}\\([^;]*`, "g"))].map(([created]) => `${file}: ${created}`),
    );
  });
  expect(clients.length).toBeGreaterThan(5);
  expect(clients.filter((created) => !created.includes("awsClientOptions("))).toEqual([]);
});

describe.concurrent("a call", () => {
  const success = '{"MessageId":"1","MD5OfMessageBody":"900150983cd24fb0d6963f7d28e17f72"}';

  it.for([
    ["gets no answer", () => {}],
    [
      "gets half an answer",
      (response: ServerResponse) => {
        response.setHeader("content-length", success.length);
        response.write(success.slice(0, 10));
      },
    ],
  ] as const)("that %s is repeated", async ([, leaveHanging]) => {
    let calls = 0;
    const server = createServer((_, response) => {
      response.setHeader("content-type", "application/x-amz-json-1.0");
      calls++;
      if (calls === 1) leaveHanging(response);
      else response.end(success);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const sqs = new SQSClient({ ...awsClientOptions(), endpoint, credentials, region: "eu-central-1" });
    const send = new SendMessageCommand({ QueueUrl: `${endpoint}/1/mail`, MessageBody: "abc" });
    await expect(sqs.send(send)).resolves.toMatchObject({ MessageId: "1" });
    expect(calls).toBe(2);
    server.close();
    server.closeAllConnections();
    sqs.destroy();
  });
});
