import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DescribeTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import {
  CreatePlatformEndpointCommand,
  DeleteEndpointCommand,
  PublishCommand,
  SetEndpointAttributesCommand,
  SNSClient,
} from "@aws-sdk/client-sns";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { type Emulators, startEmulators } from "./emulators.ts";
import { deleteExpired } from "./expiry-sweeper.ts";
import { createSecrets } from "./keys.ts";
import { startQueuePoller } from "./queue-poller.ts";
import { createQueue } from "./queues.ts";
import { createTable } from "./tables.ts";

let folder: string;
let emulators: Emulators;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-test-"));
  emulators = await startEmulators({ dataFolder: folder, environment: {} });
});

afterAll(async () => {
  await emulators.stop();
  rmSync(folder, { recursive: true });
});

const clientOptions = (service: string) => ({
  endpoint: emulators.environment[`AWS_ENDPOINT_URL_${service}`],
  region: "eu-central-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
});

const email = (to: string) => ({
  FromEmailAddress: "Parley <no-reply@example.com>",
  Destination: { ToAddresses: [to] },
  Content: {
    Simple: {
      Subject: { Data: "Hello" },
      Body: { Text: { Data: "text" }, Html: { Data: "<p>html</p>" } },
      Headers: [{ Name: "X-Svc-Code", Value: "123456" }],
    },
  },
});

test("an email sent through the SDK is found by its address", async () => {
  const ses = new SESv2Client(clientOptions("SESV2"));
  const { MessageId } = await ses.send(new SendEmailCommand(email("Anna@Example.com")));
  expect(emulators.messages.list({ to: "anna@example.COM" })).toEqual([
    {
      id: MessageId,
      kind: "email",
      to: "Anna@Example.com",
      from: "Parley <no-reply@example.com>",
      subject: "Hello",
      text: "text",
      html: "<p>html</p>",
      headers: { "X-Svc-Code": "123456" },
      sentAt: expect.any(String),
    },
  ]);
});

test("a malformed email is refused as SES refuses it", async () => {
  const ses = new SESv2Client(clientOptions("SESV2"));
  await expect(ses.send(new SendEmailCommand(email("nobody")))).rejects.toMatchObject({
    name: "BadRequestException",
    $metadata: { httpStatusCode: 400 },
  });
});

test("an SMS sent through the SDK is found by its number, and a malformed number is refused", async () => {
  const sns = new SNSClient(clientOptions("SNS"));
  const sender = { "AWS.SNS.SMS.SenderID": { DataType: "String", StringValue: "Parley" } };
  await sns.send(
    new PublishCommand({ PhoneNumber: "+4930123456", Message: "ü 1", MessageAttributes: sender }),
  );
  expect(emulators.messages.list({ to: "+4930123456" })).toMatchObject([
    { kind: "sms", from: "Parley", text: "ü 1" },
  ]);
  const bad = sns.send(new PublishCommand({ PhoneNumber: "030", Message: "x" }));
  await expect(bad).rejects.toMatchObject({ name: "InvalidParameterException" });
});

test("a push token has one endpoint, which gets pushes while it is enabled", async () => {
  const sns = new SNSClient(clientOptions("SNS"));
  const application = "arn:aws:sns:eu-central-1:123456789012:app/GCM/messenger";
  const create = (CustomUserData?: string) =>
    sns.send(
      new CreatePlatformEndpointCommand({
        PlatformApplicationArn: application,
        Token: "fcm:1",
        CustomUserData,
      }),
    );
  const { EndpointArn } = await create();
  expect((await create()).EndpointArn).toBe(EndpointArn);
  await expect(create("somebody's")).rejects.toThrow(`Endpoint ${EndpointArn} already exists`);

  const push = () =>
    sns.send(
      new PublishCommand({
        TargetArn: EndpointArn,
        MessageStructure: "json",
        Message: JSON.stringify({ default: "", GCM: '{"data":1}' }),
      }),
    );
  await push();
  expect(emulators.messages.list({ to: "fcm:1" })).toMatchObject([
    { kind: "push", from: "messenger", text: '{"data":1}' },
  ]);
  const disable = new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "false" } });
  await sns.send(disable);
  await expect(push()).rejects.toMatchObject({ name: "EndpointDisabledException" });
  await sns.send(new DeleteEndpointCommand({ EndpointArn }));
  await sns.send(new DeleteEndpointCommand({ EndpointArn }));
  await expect(sns.send(disable)).rejects.toMatchObject({ name: "NotFoundException" });
  await expect(push()).rejects.toMatchObject({ name: "InvalidParameterException" });
});

test("secrets are created once, and rotate by staging labels", async () => {
  const secretsManager = new SecretsManagerClient(clientOptions("SECRETS_MANAGER"));
  const nameOf = (name: string) => `rotation-${name}`;
  const first = await createSecrets(secretsManager, nameOf, 1_800_000_000);
  expect(await createSecrets(secretsManager, nameOf, 1_900_000_000)).toEqual(first);

  const SecretId = nameOf("code-key");
  const before = await secretsManager.send(new GetSecretValueCommand({ SecretId }));
  const token = "11111111-1111-4111-8111-111111111111";
  const pending = {
    SecretId,
    ClientRequestToken: token,
    SecretString: "next",
    VersionStages: ["AWSPENDING"],
  };
  await secretsManager.send(new PutSecretValueCommand(pending));
  await secretsManager.send(new PutSecretValueCommand(pending));
  expect((await secretsManager.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe(
    first["code-key"],
  );
  await secretsManager.send(
    new UpdateSecretVersionStageCommand({
      SecretId: before.ARN,
      VersionStage: "AWSCURRENT",
      MoveToVersionId: token,
      RemoveFromVersionId: before.VersionId,
    }),
  );
  expect((await secretsManager.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe("next");
  const { VersionIdsToStages } = await secretsManager.send(new DescribeSecretCommand({ SecretId }));
  expect(VersionIdsToStages).toEqual({
    [before.VersionId ?? ""]: ["AWSPREVIOUS"],
    [token]: ["AWSPENDING", "AWSCURRENT"],
  });
  const missing = secretsManager.send(new GetSecretValueCommand({ SecretId: "missing" }));
  await expect(missing).rejects.toBeInstanceOf(ResourceNotFoundException);
});

test("a worker receives messages as from Lambda, and receives again those that it reports as failed", async () => {
  const sqs = new SQSClient(clientOptions("SQS"));
  const spec = {
    visibilityTimeoutSeconds: 1,
    maxReceiveCount: 5,
    batchSize: 10,
    isFifo: false,
  };
  const endpoint = emulators.environment.AWS_ENDPOINT_URL_SQS ?? "";
  const queue = await createQueue(sqs, "worker-test", spec, endpoint);
  expect(await createQueue(sqs, "worker-test", spec, endpoint)).toEqual(queue);
  for (const MessageBody of ["good", "bad"]) {
    await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody }));
  }
  const seen: string[] = [];
  const poller = startQueuePoller({
    client: sqs,
    queue,
    batchSize: spec.batchSize,
    invoke: async ({ Records }) => {
      seen.push(...Records.map(({ body }) => body));
      const failed = Records.filter(
        ({ body }) => body === "bad" && seen.filter((each) => each === body).length < 2,
      );
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    },
  });
  await expect.poll(() => seen.toSorted()).toEqual(["bad", "bad", "good"]);
  await eventually(async () => {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: ["All"] }),
    );
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: "0",
      ApproximateNumberOfMessagesNotVisible: "0",
    });
  });
  await poller.stop();
});

test("a FIFO queue keeps the order of each group after a failure, and its dead letters move to a FIFO queue", async () => {
  const sqs = new SQSClient(clientOptions("SQS"));
  const spec = {
    visibilityTimeoutSeconds: 1,
    maxReceiveCount: 2,
    batchSize: 10,
    isFifo: true,
  };
  const queue = await createQueue(sqs, "fifo-test", spec, emulators.environment.AWS_ENDPOINT_URL_SQS ?? "");
  expect(queue.url).toMatch(/\/fifo-test\.fifo$/);
  for (const [group, body] of [
    ["a", "a1"],
    ["b", "b1"],
    ["a", "a2"],
    ["b", "b2"],
    ["a", "a2"],
  ]) {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queue.url,
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: body,
      }),
    );
  }
  const seen: string[] = [];
  const poller = startQueuePoller({
    client: sqs,
    queue,
    batchSize: spec.batchSize,
    invoke: async ({ Records }) => {
      seen.push(...Records.map(({ body }) => body));
      const failed = Records.filter(({ body }) => body === "a1");
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    },
  });
  await expect.poll(() => seen.filter((body) => body.startsWith("a"))).toEqual(["a1", "a1", "a2"]);
  expect(seen.filter((body) => body.startsWith("b"))).toEqual(["b1", "b2"]);
  await poller.stop();
  const deadLetters = queue.url.replace("fifo-test", "fifo-test-dead-letters");
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: deadLetters }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(["a1"]);
});

test("a client that disconnects while it waits for messages delays nobody", async () => {
  const sqs = new SQSClient(clientOptions("SQS"));
  const spec = { visibilityTimeoutSeconds: 60, maxReceiveCount: 1, isFifo: true };
  const endpoint = emulators.environment.AWS_ENDPOINT_URL_SQS ?? "";
  const { url: QueueUrl } = await createQueue(sqs, "abandoned-test", spec, endpoint);
  const receive = (abortSignal?: AbortSignal) =>
    sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        WaitTimeSeconds: 3,
        MessageSystemAttributeNames: ["ApproximateReceiveCount"],
      }),
      { abortSignal },
    );
  const waits = [1, 2, 3].map(() => receive(AbortSignal.timeout(200)));
  for (const wait of waits) await expect(wait).rejects.toThrow("aborted");
  const received: unknown[] = [];
  // The first message may still be sent to a closed connection whose end was not noticed; each of the three would take
  // one.
  for (const MessageBody of ["1", "2"]) {
    const ids = { MessageGroupId: MessageBody, MessageDeduplicationId: MessageBody };
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...ids }));
    received.push(...((await receive()).Messages ?? []));
  }

  expect(received.at(-1)).toMatchObject({ Body: "2", Attributes: { ApproximateReceiveCount: "1" } });
});

test("only expired items are deleted", async () => {
  const dynamo = new DynamoDBClient(clientOptions("DYNAMODB"));
  const spec = { partitionKey: "pk", sortKey: "sk", timeToLive: "expiresAtSeconds" };
  await createTable(dynamo, "expiry-test", spec);
  await createTable(dynamo, "expiry-test", spec);
  for (const [sk, N] of [
    ["old", "100"],
    ["new", "300"],
  ]) {
    const Item = { pk: { S: "a" }, sk: { S: sk ?? "" }, expiresAtSeconds: { N: N ?? "" } };
    await dynamo.send(new PutItemCommand({ TableName: "expiry-test", Item }));
  }
  expect(await deleteExpired(dynamo, "expiry-test", spec, 200)).toBe(1);
  const { Items } = await dynamo.send(new ScanCommand({ TableName: "expiry-test" }));
  expect(Items?.map(({ sk }) => sk?.S)).toEqual(["new"]);
});

test("messages in queues survive a restart, each once and in order, even if they were received or delayed", async () => {
  const own = mkdtempSync(join(tmpdir(), "parley-test-"));
  const plain = { visibilityTimeoutSeconds: 60, maxReceiveCount: 5, isFifo: false };
  const fifo = { ...plain, isFifo: true };
  async function start(seconds: number, region: string) {
    const running = await startEmulators({ dataFolder: own, environment: { AWS_REGION: region } });
    const endpoint = running.environment.AWS_ENDPOINT_URL_SQS ?? "";
    const sqs = new SQSClient({ ...clientOptions("SQS"), endpoint, region });
    const { url: QueueUrl } = await createQueue(sqs, "kept", fifo, endpoint);
    const other = await createQueue(sqs, "kept", { ...plain, visibilityTimeoutSeconds: seconds }, endpoint);
    const send = (body: string) =>
      sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: body,
          MessageGroupId: "a",
          MessageDeduplicationId: body,
        }),
      );
    const receive = async (url = QueueUrl) => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MessageSystemAttributeNames: ["All"],
          WaitTimeSeconds: 3,
        }),
      );
      return Messages.map(({ Body, Attributes, ReceiptHandle }) => ({
        body: Body,
        receives: Attributes?.ApproximateReceiveCount,
        remove: () => sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle })),
        giveBack: () =>
          sqs.send(
            new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 }),
          ),
      }));
    };
    return { running, sqs, send, receive, other: other.url };
  }

  const first = await start(60, "eu-central-1");
  for (const body of ["1", "2", "3"]) await first.send(body);
  await (await first.receive())[0]?.remove();
  expect(await first.receive()).toMatchObject([{ body: "2", receives: "1" }]);
  await first.sqs.send(
    new SendMessageCommand({ QueueUrl: first.other, MessageBody: "later", DelaySeconds: 2 }),
  );
  await first.running.stop();

  const second = await start(30, "us-east-1");
  const counts = new GetQueueAttributesCommand({ QueueUrl: second.other, AttributeNames: ["All"] });
  expect((await second.sqs.send(counts)).Attributes).toMatchObject({
    ApproximateNumberOfMessagesDelayed: "1",
    VisibilityTimeout: "30",
  });
  await second.send("3");
  await second.send("4");
  const seen = [];
  for (let index = 0; index < 3; index++) {
    const [message] = await second.receive();
    seen.push([message?.body, message?.receives]);
    await message?.remove();
  }
  expect(seen).toEqual([
    ["2", "2"],
    ["3", "1"],
    ["4", "1"],
  ]);
  for (let receives = 1; receives <= 2; receives++) {
    const [message] = await second.receive(second.other);
    expect(message).toMatchObject({ body: "later", receives: String(receives) });
    await message?.giveBack();
  }
  await second.running.stop();
  rmSync(own, { recursive: true });
});

test("messages, secrets and tables survive a restart on the same folder", async () => {
  const own = mkdtempSync(join(tmpdir(), "parley-test-"));
  const first = await startEmulators({ dataFolder: own, environment: {} });
  first.messages.add({ kind: "sms", to: "+49301", from: "", text: "kept", headers: {} });
  first.secrets.create("kept", "value");
  const options = clientOptions("DYNAMODB");
  const dynamoOf = (running: Emulators) =>
    new DynamoDBClient({ ...options, endpoint: running.environment.AWS_ENDPOINT_URL_DYNAMODB });
  await createTable(dynamoOf(first), "kept", { partitionKey: "pk" });
  await first.stop();
  expect(statSync(join(own, "secrets.json")).mode & 0o777).toBe(0o600);

  const second = await startEmulators({ dataFolder: own, environment: {} });
  expect(second.messages.list()).toMatchObject([{ text: "kept" }]);
  expect(second.secrets.get("kept").value).toBe("value");
  const described = await dynamoOf(second).send(new DescribeTableCommand({ TableName: "kept" }));
  expect(described.Table?.TableStatus).toBe("ACTIVE");
  await second.stop();
  rmSync(own, { recursive: true });
});

test("no page in a browser reaches an emulator", async () => {
  for (const service of ["SQS", "S3", "SESV2", "SNS", "SECRETS_MANAGER"]) {
    const { hostname, port } = new URL(clientOptions(service).endpoint ?? "");
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { host: "evil.example" },
      { host: `127.0.0.1.evil.example:${port}` },
    ]) {
      const sending = request({ hostname, port, method: "POST", headers }).end("Action=ListQueues");
      const [response] = await once(sending, "response");
      response.resume();
      expect(response.statusCode, `${service} with ${JSON.stringify(headers)}`).toBe(403);
    }
  }
  // The DynamoDB emulator checks nothing, but browsers refuse to connect to its port; Node's `fetch` blocks the same
  // ports.
  const visit = fetch(clientOptions("DYNAMODB").endpoint ?? "");
  await expect(visit).rejects.toMatchObject({ cause: { message: "bad port" } });
});

test("objects survive a restart on the same folder, and cannot be read without a signature", async () => {
  const own = mkdtempSync(join(tmpdir(), "parley-test-"));
  const start = async () => {
    const running = await startEmulators({ dataFolder: own, environment: {} });
    const endpoint = running.environment.AWS_ENDPOINT_URL_S3 ?? "";
    const s3 = new S3Client({ ...clientOptions("S3"), endpoint });
    return { s3, endpoint, stop: () => Promise.all([running.stop(), s3.destroy()]) };
  };
  const first = await start();
  const kept = { Bucket: "kept", Key: "v3/persistent/kept" };
  await first.s3.send(new CreateBucketCommand({ Bucket: "kept" }));
  await first.s3.send(new PutObjectCommand({ ...kept, Body: Buffer.from("bytes") }));
  await first.stop();
  // As left by a process that was killed during an upload.
  writeFileSync(join(own, "s3/buckets/kept/objects/v3/persistent/torn.meta.json"), "");

  const second = await start();
  await second.s3.send(new CreateBucketCommand({ Bucket: "kept" }));
  const { Body } = await second.s3.send(new GetObjectCommand(kept));
  expect(await Body?.transformToString()).toBe("bytes");
  expect((await fetch(`${second.endpoint}/kept/v3/persistent/kept`)).status).toBe(403);
  expect((await fetch(`${second.endpoint}/kept?list-type=2`)).status).toBe(403);
  expect((await fetch(second.endpoint)).status).toBe(403);
  await second.stop();
  rmSync(own, { recursive: true });
});

test("a service with a configured address is not started", async () => {
  const given = {
    AWS_ENDPOINT_URL: "http://127.0.0.1:9",
    AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:10",
    AWS_PROFILE: "p",
  };
  const others = await startEmulators({ environment: given });
  expect(others.environment).toEqual({
    AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:9",
    AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:10",
    AWS_ENDPOINT_URL_S3: "http://127.0.0.1:9",
    AWS_ENDPOINT_URL_SESV2: "http://127.0.0.1:9",
    AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:9",
    AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://127.0.0.1:9",
    AWS_REGION: "eu-central-1",
  });
  await others.stop();
  expect(existsSync(others.folder)).toBe(false);
});

test("a message keeps the trace header of the request that sent it", async () => {
  const sqs = new SQSClient(clientOptions("SQS"));
  const spec = { visibilityTimeoutSeconds: 30, maxReceiveCount: 1, isFifo: false };
  const { url: QueueUrl } = await createQueue(
    sqs,
    "traced",
    spec,
    emulators.environment.AWS_ENDPOINT_URL_SQS ?? "",
  );
  sqs.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      headers["x-amzn-trace-id"] = "Lineage=fan-out:3";
      return next(args);
    },
    { step: "build" },
  );
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "traced" }));
  const receive = new ReceiveMessageCommand({
    QueueUrl,
    WaitTimeSeconds: 1,
    MessageSystemAttributeNames: ["All"],
  });
  const { Messages: [message] = [] } = await sqs.send(receive);
  expect(message?.Attributes).toMatchObject({ AWSTraceHeader: "Lineage=fan-out:3" });
  sqs.destroy();
});
