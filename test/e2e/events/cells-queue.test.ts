import { randomUUID } from "node:crypto";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { type AwsCall, awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { defineEvent } from "#shared/events/event.ts";
import { streams } from "#shared/events/notification.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { laneOf, maxDeliveries } from "#shared/platform/messaging/outbox-item.ts";
import { ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import { receiveFromCells } from "../../support/cells.ts";
import { eventSource, newReader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";

const rename = defineEvent({
  type: "test.rename",
  summary: "A test renames something",
  recipients: "conversation-members",
  schema: z.looseObject({ number: z.int(), data: z.looseObject({}) }),
});
const creation = { ...rename, type: "test.create", cellsFields: ["type", "number"] };

let stack: OwnStack;
beforeAll(async () => {
  stack = await stackWith({ outboxResendSeconds: 1 });
});

it("fan-out forwards events to the queue for Cells once, in the order of their conversation, as clients get them", async () => {
  const source = eventSource(stack);
  const group = conversationGroup(randomUUID());
  const recipients = upTo(700).map(() => ({ userId: randomUUID() }));
  await source.send({ group, recipients, forCells: true }, creation, { number: 1, data: { name: "One" } });
  for (const number of upTo(4).slice(1)) {
    await source.send({ group, recipients: [], forCells: true }, rename, {
      number,
      data: { name: "\ud800" },
    });
  }
  await source.send({ group, recipients }, rename, { number: 5, data: {} });
  const messages = await receiveFromCells(stack, { group, count: 4 });

  expect(messages.map(({ payload }) => payload)).toEqual([
    [{ type: "test.create", number: 1 }],
    ...[2, 3, 4].map((number) => [{ type: "test.rename", number, data: { name: "\ud800" } }]),
  ]);
  for (const { id } of messages) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  }
});

it("fan-out delivers events to members while the queue for Cells cannot be reached, and forwards everything later", async () => {
  const source = eventSource(stack);
  const reader = await newReader(stack);
  const group = conversationGroup(randomUUID());
  await source.setVisibilityTimeout(3);
  let refused = 0;
  const endFaults = injectFaults(({ service, action, body }) => {
    if (
      service !== "sqs" ||
      action !== "SendMessage" ||
      !body.includes(`${stack.prefix}-cells-events.fifo`)
    ) {
      return undefined;
    }
    refused++;
    return "denied";
  });
  onTestFinished(endFaults);
  for (const number of upTo(3)) {
    const audience = { group, recipients: [{ userId: reader.userId }], forCells: true };
    await source.send(audience, rename, { number, data: {} });
  }
  await eventually(async () => {
    expect(await source.numbersIn(streams.user(reader.userId))).toEqual([1, 2, 3]);
    expect(refused).toBeGreaterThan(1);
  });
  endFaults();
  const messages = await receiveFromCells(stack, { group, count: 3 });

  expect(messages.map(({ payload }) => payload[0].number)).toEqual([1, 2, 3]);
  await eventually(async () => expect(await source.countInOutbox()).toBe(0));
});

const isSentTo = (queue: string, { service, action, body }: AwsCall, { prefix } = stack) =>
  service === "sqs" && action.startsWith("SendMessage") && body.includes(`${prefix}-${queue}.fifo`);

/** A queue message that names everything in a lane. */
const nudgeOf = (lane: string) => ({
  messageId: lane,
  receiptHandle: lane,
  body: JSON.stringify({ lane, messageId: "9" }),
  attributes: { ApproximateReceiveCount: "1", MessageGroupId: lane },
});

it("fan-out finishes other events of a batch while the queue for Cells does not answer", async () => {
  const source = eventSource(stack);
  const reader = await newReader(stack);
  const group = conversationGroup(randomUUID());
  const [ofCells, ofMember] = [nudgeOf(laneOf("cells-events", group)), nudgeOf(laneOf("events", group))];
  const finished = Promise.withResolvers<void>();
  const end = interceptAwsCalls(async (call, send) => {
    const { service, action, body } = call;
    // No worker but that of this test.
    if (isSentTo("events", call)) return awsAnswer(200, {});
    if (service === "sqs" && action === "DeleteMessageBatch" && body.includes(ofMember.receiptHandle)) {
      finished.resolve();
      return awsAnswer(200, { Successful: [], Failed: [] });
    }
    if (!isSentTo("cells-events", call)) return send();
    await finished.promise;
    return awsAnswer(400, { __type: "AccessDeniedException" });
  });
  onTestFinished(() => {
    finished.resolve();
    end();
  });
  const audience = { group, recipients: [{ userId: reader.userId }], forCells: true };
  await source.send(audience, rename, { number: 1, data: {} });
  const outcome = await stack.invoke("fan-out", { Records: [ofCells, ofMember] });

  expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: ofCells.messageId }] });
  await eventually(async () => expect(await source.numbersIn(streams.user(reader.userId))).toEqual([1]));
  end();
  await stack.invoke("fan-out", { Records: [ofCells] });
});

it("fan-out sends to a slow queue for Cells for a limited time, and sends the rest later", async () => {
  const slow = await stackWith({}, { isClockStopped: true });
  const source = eventSource(slow);
  const group = conversationGroup(randomUUID());
  const nudge = nudgeOf(laneOf("cells-events", group));
  let sent = 0;
  const end = injectFaults((call) => {
    if (isSentTo("events", call, slow)) return "ignored";
    if (isSentTo("cells-events", call, slow) && ++sent === 2) slow.advance(10);
    return undefined;
  });
  onTestFinished(end);
  for (const number of upTo(3))
    await source.send({ group, recipients: [], forCells: true }, rename, { number, data: {} });
  const run = () => slow.invoke("fan-out", { Records: [nudge] });

  expect(await run()).toEqual({ batchItemFailures: [{ itemIdentifier: nudge.messageId }] });
  expect(sent).toBe(2);
  expect(await run()).toEqual({ batchItemFailures: [] });
  const messages = await receiveFromCells(slow, { group, count: 3 });
  expect(messages.map(({ payload }) => payload[0].number)).toEqual([1, 2, 3]);
});

it("fan-out parks an event that the queue for Cells keeps refusing, and continues with the conversation", async () => {
  const source = eventSource(stack);
  const group = conversationGroup(randomUUID());
  const lane = laneOf("cells-events", group);
  const endFaults = injectFaults(({ service, body }) =>
    service === "sqs" && body.includes(`${stack.prefix}-cells-events.fifo`) ? "denied" : undefined,
  );
  onTestFinished(endFaults);
  await source.send({ group, recipients: [], forCells: true }, rename, { number: 1, data: {} });
  const parkedMessages = new ParkedMessages({
    dynamo: createDynamo(),
    config: stackConfig(stack.prefix),
    clock: stack.clock,
  });
  const attributes = { ApproximateReceiveCount: "2", MessageGroupId: lane };
  const body = JSON.stringify({ lane, messageId: "9" });
  const parked = await eventually(async () => {
    await stack.invoke("fan-out", { Records: [{ messageId: "1", body, attributes }] });
    const all = await collect(parkedMessages.of("cells-events"));
    expect(all).toHaveLength(1);
    return all;
  });
  expect(parked).toMatchObject([
    { lane, reason: expect.stringContaining(`${maxDeliveries.fifo} deliveries`) },
  ]);
  endFaults();
  await source.send({ group, recipients: [], forCells: true }, rename, { number: 2, data: {} });
  const [message] = await receiveFromCells(stack, { group, count: 1 });

  expect(message?.payload[0].number).toBe(2);
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

it("fan-out forwards changes of the team's feature for Cells, and of no other feature", async () => {
  const team = await newTeam({}, stack);
  for (const name of ["fileSharing", "cells"]) {
    await stack.internalApi("PATCH", `/i/teams/${team.id}/features/${name}`, {
      json: { status: "enabled", lockStatus: "unlocked" },
    });
  }
  const [message] = await receiveFromCells(stack, { group: team.id, count: 1 });

  expect(message).toMatchObject({
    payload: [{ type: "feature-config.update", team: team.id, name: "cells", data: { status: "enabled" } }],
  });
});
