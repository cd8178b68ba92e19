import { randomUUID } from "node:crypto";
import type { SQSEvent } from "aws-lambda";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { streams } from "#shared/events/notification.ts";
import { conversationGroup, EventPublisher } from "#shared/events/publisher.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { Outbox, type OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { type ParkedMessage, ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import { type EventSource, eventSource, numbered, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { type AwsCall, type Fault, injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";

let stack: OwnStack;
let source: EventSource;
beforeAll(async () => {
  stack = await stackWith({ outboxResendSeconds: 1 });
  source = eventSource(stack);
});

const isCarrying = ({ service, action, body }: AwsCall) =>
  service === "sqs" && action === "SendMessage" && body.includes("carried");

/** Publishes a message of a conversation, while attempts to carry it fail. @returns the calls it took */
async function publishDuring(fault: Fault, number: number, { userId, sender }: Target): Promise<string[]> {
  const calls: string[] = [];
  const endFaults = injectFaults((call) => {
    if (!call.body.includes(userId)) return undefined;
    calls.push(isCarrying(call) ? "carry" : call.action);
    return isCarrying(call) ? fault : undefined;
  });
  onTestFinished(endFaults);
  await source.publish({ number, sender, to: [{ userId }] });
  endFaults();
  return calls;
}

interface Target {
  readonly userId: string;
  readonly sender: string;
}

const newTarget = (): Target => ({ userId: randomUUID(), sender: conversationGroup(randomUUID()) });

const expectNumbers = ({ userId }: Target, numbers: readonly number[]) =>
  eventually(async () => expect(await source.numbersIn(streams.user(userId))).toEqual(numbers));

describe("a message that its queue carries", () => {
  it("comes after changes that were answered before it, even if their nudges got lost", async () => {
    const target = newTarget();
    const to = [target];
    await source.commit({ number: 1, sender: target.sender, to }, { number: 2, sender: target.sender, to });
    await source.publish({ number: 3, sender: target.sender, to });
    await expectNumbers(target, [1, 2, 3]);
  });

  it("is stored in the outbox when the queue refuses it", async () => {
    const target = newTarget();
    const calls = await publishDuring("failed", 1, target);
    expect(calls).toEqual(["carry", "carry", "carry", "PutItem"]);
    await expectNumbers(target, [1]);
  });

  it("is stored once when the queue takes it, but all answers get lost", async () => {
    const target = newTarget();
    expect(await publishDuring("answer-lost", 1, target)).toContain("PutItem");
    await source.publish({ number: 2, sender: target.sender, to: [target] });
    await expectNumbers(target, [1, 2]);
    await eventually(async () => expect(await source.isAllDelivered()).toBe(true));
    expect(await source.numbersIn(streams.user(target.userId))).toEqual([1, 2]);
  });

  it("is stored in parts when it is too large for the queue", async () => {
    const target = newTarget();
    await source.publish({ number: 1, sender: target.sender, to: [target], padding: 1_100_000 });
    const stream = streams.user(target.userId);
    await eventually(async () => expect(await source.countIn(stream)).toBe(1));
  });
});

describe("fan-out", () => {
  beforeAll(async () => {
    stack = await stackWith();
    source = eventSource(stack);
  });

  const record = (body: object, group: string, receives = 1) => ({
    messageId: randomUUID(),
    body: JSON.stringify(body),
    attributes: { ApproximateReceiveCount: String(receives), MessageGroupId: group },
  });
  const fanOut = (Records: ReturnType<typeof record>[]) =>
    stack.invoke("fan-out", { Records } as unknown as SQSEvent);

  /** Commits changes of a conversation one after another, without nudges; they look too young for any sweep. */
  async function commitChanges(target: Target, count: number): Promise<OutboxMessage[]> {
    const clock = () => Date.now() + 3_600_000;
    const outbox = new Outbox({
      config: stackConfig(stack.prefix),
      clock,
      log: createLog("test", "CRITICAL"),
    });
    const publisher = new EventPublisher({ outbox, clock });
    const messages = upTo(count).flatMap((number) =>
      publisher.to({ group: target.sender, recipients: [target] }, numbered, { number }),
    );
    await commit(createDynamo(), { messages });
    return messages;
  }

  async function parkedOf({ sender }: Target): Promise<ParkedMessage[]> {
    const parked = new ParkedMessages({
      dynamo: createDynamo(),
      config: stackConfig(stack.prefix),
      clock: systemClock,
    });
    const found: ParkedMessage[] = [];
    for await (const message of parked.of("events")) if (message.lane.endsWith(sender)) found.push(message);
    return found;
  }

  it("takes nothing from a conversation ahead of its nudge, which may be behind a carried message", async () => {
    const target = newTarget();
    const [first] = await commitChanges(target, 2);
    const others = upTo(9).map(() => {
      const group = randomUUID();
      return record({ lane: `events#${group}`, messageId: "2026-01-01T00:00:00.000Z#000000#x" }, group);
    });
    const { lane, messageId } = first?.key ?? {};
    await fanOut([record({ lane, messageId }, target.sender), ...others]);
    await expectNumbers(target, [1]);
  });

  it("parks a carried message after too many receives, and goes on with the next", async () => {
    const target = newTarget();
    const messageIds = upTo(2).map((number) => `${new Date().toISOString()}#00000${number}#${randomUUID()}`);
    const records = messageIds.map((messageId, index) => {
      const event = { type: numbered.type, number: index + 1 };
      const payload = JSON.stringify({
        eventId: randomUUID(),
        event,
        recipients: [{ userId: target.userId }],
        isTransient: false,
        hasOwnViews: false,
        committedAt: Date.now(),
      });
      const carried = { lane: `events#${target.sender}`, messageId, payload };
      return record({ carried }, target.sender, 26);
    });
    expect(await fanOut(records)).toEqual({ batchItemFailures: [] });
    await expectNumbers(target, [2]);
    expect(await parkedOf(target)).toMatchObject([{ messageId: messageIds[0] }]);
  });

  it("parks a carried message that it cannot read", async () => {
    const target = newTarget();
    const messageId = `${new Date().toISOString()}#000000#${randomUUID()}`;
    const carried = { lane: `events#${target.sender}`, messageId, payload: '{"unreadable":1}' };
    expect(await fanOut([record({ carried }, target.sender)])).toEqual({ batchItemFailures: [] });
    expect(await parkedOf(target)).toMatchObject([{ messageId, payload: carried.payload }]);
  });
});
