import { randomBytes, randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { CreateQueueCommand, ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { CloudFormationCustomResourceEvent } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTable } from "#lib/local/emulators/tables.ts";
import { listen } from "#lib/local/gateway/http-server.ts";
import { handler } from "#lib/relay/remove-relays.ts";
import { relayQueue } from "#shared/events/sockets/relay.ts";
import { RelayStore } from "#shared/events/sockets/relay-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { tables } from "#shared/registry/tables.ts";

/** Stands for the address at which CloudFormation takes answers. */
const answers: { body: Record<string, unknown>; contentType: string | undefined }[] = [];
const cloudFormation = await listen(async (request, response) => {
  answers.push({ body: JSON.parse(await text(request)), contentType: request.headers["content-type"] });
  response.end();
});
const sqs = new SQSClient();
const dynamo = createDynamo();
afterAll(async () => {
  sqs.destroy();
  dynamo.destroy();
  await cloudFormation.stop();
});

/** A stage of its own, with relays that have died. */
async function stageWithRelays(count: number) {
  const prefix = `removal-${randomUUID().slice(0, 8)}-relay-`;
  const table = `${prefix}sockets`;
  await createTable(dynamo, table, tables.sockets);
  const relays = new RelayStore({ dynamo, config: { tableName: () => table }, clock: systemClock });
  const ids = Array.from({ length: count }, () => randomBytes(8).toString("hex"));
  for (const id of ids) {
    await relays.add(id);
    await createQueue(relayQueue(prefix, id));
  }
  const queues = `${process.env.AWS_ENDPOINT_URL_SQS}/000000000000/${prefix}`;
  return { prefix, relays, properties: { queues, table } };
}

const createQueue = (QueueName: string) =>
  sqs.send(new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: "true" } }));

async function queuesOf(prefix: string): Promise<string[]> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: prefix }));
  return QueueUrls.map((url) => url.slice(url.lastIndexOf("/") + 1));
}

/** Sends an event as CloudFormation does. @returns the answer */
async function send(RequestType: "Create" | "Update" | "Delete", properties: object) {
  const RequestId = randomUUID();
  await handler({
    RequestType,
    RequestId,
    ResponseURL: `${cloudFormation.url}/answer`,
    StackId: "stack",
    LogicalResourceId: "Relays",
    ResourceProperties: { ServiceToken: "token", ...properties },
  } as CloudFormationCustomResourceEvent);
  return answers.find(({ body }) => body.RequestId === RequestId);
}

describe("the deletion of a stage with relays", () => {
  let stage: Awaited<ReturnType<typeof stageWithRelays>>;
  beforeAll(async () => {
    stage = await stageWithRelays(3);
  });

  it("finds everything in place, because creations and updates remove nothing", async () => {
    for (const type of ["Create", "Update"] as const)
      expect(await send(type, stage.properties)).toMatchObject({ body: { Status: "SUCCESS" } });
    expect(await stage.relays.all()).toHaveLength(3);
    expect(await queuesOf(stage.prefix)).toHaveLength(3);
  });

  it("removes the queues and records of relays, including those without a queue, and nothing else", async () => {
    await stage.relays.add("0123456789abcdef");
    // A queue of another stage, whose name begins alike.
    const other = `${stage.prefix}messaging-events.fifo`;
    await createQueue(other);
    const answer = await send("Delete", stage.properties);
    expect(answer?.body).toEqual({
      Status: "SUCCESS",
      StackId: "stack",
      RequestId: expect.any(String),
      LogicalResourceId: "Relays",
      PhysicalResourceId: "Relays",
    });
    // The signature of the address allows none.
    expect(answer?.contentType ?? "").toBe("");
    expect(await stage.relays.all()).toEqual([]);
    expect(await queuesOf(stage.prefix)).toEqual([other]);
  });

  it("fails, instead of hanging, when it cannot remove them", async () => {
    const nowhere = { ...stage.properties, table: "no-such-table" };
    expect(await send("Delete", nowhere)).toMatchObject({
      body: { Status: "FAILED", Reason: expect.stringContaining("ResourceNotFoundException") },
    });
  });
});
