import { globSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
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

it("the client options keep the SDK from describing calls for a log", () => {
  const client = new DynamoDBClient({ ...awsClientOptions(), region: "eu-central-1" });
  expect(client.config.logger?.info).toBeUndefined();
});

describe.concurrent("a call", () => {
  type Options = ReturnType<typeof awsClientOptions> & {
    endpoint: string;
    region: string;
    credentials: { accessKeyId: string; secretAccessKey: string };
  };
  const success = '{"MessageId":"1","MD5OfMessageBody":"900150983cd24fb0d6963f7d28e17f72"}';
  const leaveOpen = () => {};
  const answerHalf = (response: ServerResponse) => {
    response.setHeader("content-length", success.length);
    response.write(success.slice(0, 10));
  };
  const send = (options: Options) =>
    new SQSClient(options).send(
      new SendMessageCommand({ QueueUrl: "http://sqs/1/mail", MessageBody: "abc" }),
    );
  const read = (options: Options) =>
    new DynamoDBClient(options).send(new GetItemCommand({ TableName: "a", Key: { a: { S: "b" } } }));
  const readSecret = (options: Options) =>
    new SecretsManagerClient(options).send(new GetSecretValueCommand({ SecretId: "a" }));
  const sendMail = (options: Options) =>
    new SESv2Client(options).send(new SendEmailCommand({ Content: { Raw: { Data: Buffer.from("a") } } }));

  it.for([
    ["to SQS gets no answer", send, leaveOpen],
    ["to SQS gets half an answer", send, answerHalf],
    ["to DynamoDB gets no answer", read, leaveOpen],
    ["to Secrets Manager gets no answer", readSecret, leaveOpen],
    ["to SES gets no answer", sendMail, leaveOpen],
  ] as const)("that %s is repeated", async ([, call, leaveHanging]) => {
    let count = 0;
    const server = createServer((_, response) => {
      response.setHeader("content-type", "application/x-amz-json-1.0");
      count++;
      if (count === 1) leaveHanging(response);
      else response.end(success);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    await call({ ...awsClientOptions(), endpoint, credentials, region: "eu-central-1" });
    expect(count).toBe(2);
    server.closeAllConnections();
    server.close();
  });
});
