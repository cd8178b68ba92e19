import { randomUUID } from "node:crypto";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import type { DeliveryMessage } from "#shared/events/delivery-message.ts";
import { defineEvent } from "#shared/events/event.ts";
import { streams } from "#shared/events/notification.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { type EventSource, eventSource, newReader, type Reader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { eventFaults, isOfFault, startFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { times } from "../../support/soak.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";
import { stackWith } from "../../support/stack-with.ts";

const message = defineEvent({
  type: "test.message",
  summary: "A test sends something to devices",
  recipients: "conversation-members",
  schema: z.looseObject({ conversation: z.int(), number: z.int(), data: z.looseObject({}) }),
});

/** The device that may be connected to `/events`, and another one. */
const devices = ["c0ffee", "facade"];
const [connected = ""] = devices;
const memberCount = times(6, 24);
const conversations = times(2, 8);
const messagesEach = times(3, 5);
/** Events without devices: each sender sends several at once. */
const senders = times(6, 60);
const eventsOfSender = [3, 2];
/** Sizes of ciphertexts: stored with their event, apart from it, and also outside the queue. */
const sizes = [100, 1500, 20_000];
/** Beyond what one item can hold. */
const largePadding = 350_000;

let stack: OwnStack;
let source: EventSource;
beforeAll(async () => {
  // Pauses between sends grow from this one.
  stack = await stackWith(
    { outboxResendSeconds: 1, socketPostMilliseconds: 10_000 },
    { expectsError: isOfFault },
  );
  source = eventSource(stack);
});

it("an event is stored once when the queue contains it twice", async () => {
  const { userId } = await newReader(stack);
  const delivery: DeliveryMessage["deliveries"][number] = {
    eventId: randomUUID(),
    event: JSON.stringify({ type: "test.message", number: 1 }),
    bytes: 40,
    isTransient: false,
    hasOwnViews: false,
    isShared: false,
    isRepeated: false,
    committedAt: Date.now(),
    recipients: [{ userId }],
  };
  const Records = [false, true].map((isRepeated) => ({
    messageId: String(isRepeated),
    body: JSON.stringify({ deliveries: [{ ...delivery, isRepeated }] }),
    attributes: { ApproximateReceiveCount: "1", MessageGroupId: "1" },
  }));
  expect(await stack.invoke("delivery", { Records })).toEqual({ batchItemFailures: [] });

  expect(await source.numbersIn(streams.user(userId))).toEqual([1]);
});

interface Member extends Reader {
  /** Open on `/await`, without naming a device. */
  socket?: TestSocket;
  /** Open on `/events`; it acknowledges everything that it receives. */
  device?: TestSocket;
  /** Keys of what is sent to it, in the order of each sender or conversation. */
  readonly expected: string[][];
}

/** Leaves out a socket that was closed because posts to it failed: its client would read the rest from the log. */
async function newMember(kind: number): Promise<Member> {
  const member: Member = { ...(await newReader(stack)), expected: [] };
  const { token, userId } = member;
  if (kind === 0) return member;
  member.socket = await openSocket("/await", { token }, stack);
  member.socket.closed.then(() => delete member.socket);
  if (kind === 1) return member;
  await stack.internalApi("POST", `/i/users/${userId}/clients/${connected}/consumable-notifications`);
  const device = await openSocket("/events", { token, query: { client: connected } }, stack);
  device.onFrame = ({ data: { delivery_tag } }) => device.send({ type: "ack", data: { delivery_tag } });
  device.closed.then(() => delete member.device);
  member.device = device;
  return member;
}

interface Received {
  readonly number: number;
  /** Conversation of a message to devices. */
  readonly conversation?: number;
  readonly data?: { readonly recipient: string; readonly text: string };
  readonly padding?: string;
}

const keyOf = ({ conversation, number, data }: Received) =>
  data === undefined ? `event ${number}` : `${conversation} ${data.recipient} ${number}`;
const posted = ({ socket }: Member): Received[] => (socket?.frames ?? []).flatMap(({ payload }) => payload);
const consumed = ({ device }: Member): Received[] =>
  (device?.frames ?? []).flatMap(({ data }) => data.event.payload);

/** The part of a user's events that the connected device is sent. */
const forDevice = (keys: readonly string[]) => keys.filter((key) => !key.includes(` ${devices[1]} `));

async function storedIn(stream: string): Promise<Received[]> {
  const events: Received[] = [];
  for await (const entry of source.store.after(stream, 0)) {
    const [view] = await source.store.withPayloads([entry]);
    events.push(...((view?.payload ?? []) as Received[]));
  }
  return events;
}

/** @returns the sockets to which a post took too long, as on a busy machine */
function recordLatePosts(): ReadonlySet<string> {
  const late = new Set<string>();
  const end = interceptAwsCalls(({ service, path, abortSignal }, send) =>
    send().finally(() => {
      if (service === "sockets" && abortSignal?.aborted) late.add(path);
    }),
  );
  onTestFinished(() => {
    end();
  });
  return late;
}

/** Send messages of a conversation to all devices of its members. */
async function talk(conversation: number, members: readonly Member[]): Promise<void> {
  const group = conversationGroup(randomUUID());
  for (const { expected } of members)
    for (const recipient of devices)
      expected.push(upTo(messagesEach).map((number) => `${conversation} ${recipient} ${number}`));
  for (const number of upTo(messagesEach)) {
    const size = sizes[(conversation + number) % sizes.length] ?? 0;
    const recipients = members.flatMap(({ userId }) =>
      devices.map((recipient) => ({
        userId,
        clientIds: [recipient],
        overlay: { data: { recipient, text: recipient.repeat(size / 6) } },
      })),
    );
    const content = { conversation, number, data: { sender: "dada", recipient: "", text: "" } };
    const audience = { group, recipients, time: Date.now() + number };
    // If parts of a large message cannot be stored, nothing has been committed.
    await eventually(() => source.send(audience, message, content));
  }
}

it("events and messages are delivered at least once and in order, and stored once, whatever fails", {
  timeout: 480_000,
}, async () => {
  await source.setVisibilityTimeout(4);
  const stopWorkers = source.addWorkers(stack.invoke);
  const members = await Promise.all(upTo(memberCount).map((number) => newMember(number % 3)));
  const archive: Member = { ...(await newReader(stack)), expected: [] };
  const faults = startFaults(eventFaults);
  onTestFinished(faults.end);
  const latePosts = recordLatePosts();

  let events = 0;
  async function publish(sender: number): Promise<void> {
    const to = upTo(sender % 3 === 0 ? 3 : 1).map(
      (step) => members[(sender * 7 + step) % memberCount] as Member,
    );
    for (const count of eventsOfSender) {
      const name = randomUUID();
      const numbers = upTo(count).map(() => ++events);
      await source.publish(...numbers.map((number) => ({ number, to, sender: name })));
      for (const { expected } of new Set(to)) expected.push(numbers.map((number) => `event ${number}`));
    }
    if (sender % 20 !== 1) return;
    archive.expected.push([`event ${sender}`]);
    await source.publish({ number: sender, to: [archive], padding: largePadding });
  }
  await Promise.all([
    ...upTo(conversations).map((conversation) =>
      talk(
        conversation,
        members.filter((_, index) => (index + conversation) % 3 !== 0),
      ),
    ),
    ...upTo(senders).map(publish),
  ]);
  // Pauses after failures grow up to half a minute: while faults continue, the last event may need many of them.
  const endOfFaults = setTimeout(faults.end, 90_000);
  onTestFinished(() => clearTimeout(endOfFaults));
  await eventually(
    () => {
      for (const member of members) {
        const expected = member.expected.flat();
        if (member.socket) expect(posted(member).map(keyOf)).toEqual(expect.arrayContaining(expected));
        if (member.device)
          expect(consumed(member).map(keyOf)).toEqual(expect.arrayContaining(forDevice(expected)));
      }
    },
    { timeoutSeconds: 300 },
  );
  const open = members.flatMap(({ socket, device }) => [socket, device]).filter((one) => one !== undefined);
  expect(open.length + latePosts.size).toBeGreaterThanOrEqual(memberCount);
  faults.end();
  await eventually(async () => expect(await source.isAllDelivered()).toBe(true), { timeoutSeconds: 100 });
  await stopWorkers();

  for (const member of [...members, archive]) {
    const { userId, socket, device, expected } = member;
    const stored = await storedIn(streams.user(userId));
    expect(stored.map(keyOf).toSorted()).toEqual(expected.flat().toSorted());
    if (device) {
      const queued = (await storedIn(streams.device(userId, connected))).map(keyOf);
      expect(new Set(queued).size).toBe(queued.length);
    }
    for (const { data, padding } of [...stored, ...posted(member), ...consumed(member)]) {
      if (data !== undefined) expect(data.text.replaceAll(data.recipient, "")).toBe("");
      if (member === archive) expect(padding).toHaveLength(largePadding);
    }
    for (const keys of expected) {
      const inOrder = (all: readonly Received[]) =>
        [...new Set(all.map(keyOf))].filter((key) => keys.includes(key));
      expect(inOrder(stored)).toEqual(keys);
      if (socket) expect(inOrder(posted(member))).toEqual(keys);
      if (device) expect(inOrder(consumed(member))).toEqual(forDevice(keys));
    }
  }
  expect(new Set(faults.counts().keys())).toEqual(new Set(eventFaults.flatMap((row) => row.faults)));
});
