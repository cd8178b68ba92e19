import { randomUUID } from "node:crypto";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import type { DeliveryMessage } from "#shared/events/delivery-message.ts";
import { defineEvent } from "#shared/events/event.ts";
import { streams } from "#shared/events/notification.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { type EventSource, eventSource, newReader, type Reader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { chooseEventFault, injectFaults, isOfFault } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { times } from "../../support/soak.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";

const message = defineEvent({
  type: "test.message",
  summary: "A test sends something to devices",
  recipients: "conversation-members",
  schema: z.looseObject({ conversation: z.int(), number: z.int(), data: z.looseObject({}) }),
});

/** The device that may be connected to `/events`, and another one. */
const devices = ["c0ffee", "facade"];
const [connected = ""] = devices;
const conversations = times(3, 8);
const messagesEach = 5;
/** Sizes of ciphertexts: stored with their event, apart from it, and also outside the queue. */
const sizes = [100, 1500, 20_000];

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

it("stores an event once when the queue contains it twice", async () => {
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
}

/** Leaves out a socket that was closed because posts to it failed: its client would read the rest from the log. */
async function newMember(kind: number): Promise<Member> {
  const member: Member = await newReader(stack);
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
  readonly conversation: number;
  readonly number: number;
  readonly data: { readonly recipient: string; readonly text: string };
}

const keyOf = ({ conversation, number, data }: Received) => `${conversation} ${data.recipient} ${number}`;
const posted = ({ socket }: Member): Received[] => (socket?.frames ?? []).flatMap(({ payload }) => payload);
const consumed = ({ device }: Member): Received[] =>
  (device?.frames ?? []).flatMap(({ data }) => data.event.payload);

async function storedIn(stream: string): Promise<Received[]> {
  const events: Received[] = [];
  for await (const entry of source.store.after(stream, 0)) {
    const [view] = await source.store.withPayloads([entry]);
    events.push(...((view?.payload ?? []) as Received[]));
  }
  return events;
}

it("delivers to each device its ciphertext of each message at least once, in the order of each conversation, whatever fails", {
  timeout: 480_000,
}, async () => {
  await source.setVisibilityTimeout(4);
  const stopWorkers = source.addWorkers(stack.invoke);
  const members = await Promise.all(upTo(12).map((number) => newMember(number % 3)));
  const membersOf = (conversation: number) => members.filter((_, index) => (index + conversation) % 3 !== 0);
  let faults = 0;
  const endFaults = injectFaults((call) => {
    const fault = chooseEventFault(call);
    if (fault !== undefined) faults++;
    return fault;
  });
  onTestFinished(endFaults);

  async function talk(conversation: number): Promise<void> {
    const group = conversationGroup(randomUUID());
    for (const number of upTo(messagesEach)) {
      const size = sizes[(conversation + number) % sizes.length] ?? 0;
      const recipients = membersOf(conversation).flatMap(({ userId }) =>
        devices.map((recipient) => ({
          userId,
          clientIds: [recipient],
          overlay: { data: { recipient, text: recipient.repeat(size / 6) } },
        })),
      );
      const content = { conversation, number, data: { sender: "dada", recipient: "", text: "" } };
      const audience = { group, recipients, time: Date.now() + number };
      // If parts of a large message cannot be stored, nothing has been committed.
      for (let isSent = false; !isSent; ) {
        isSent = await source.send(audience, message, content).then(
          () => true,
          () => false,
        );
      }
    }
  }
  await Promise.all(upTo(conversations).map(talk));

  const expectedBy = (member: Member, of: readonly string[]) =>
    upTo(conversations)
      .filter((conversation) => membersOf(conversation).includes(member))
      .flatMap((conversation) =>
        of.flatMap((recipient) =>
          upTo(messagesEach).map((number) => `${conversation} ${recipient} ${number}`),
        ),
      );
  // Pauses after failures grow up to half a minute: while faults continue, the last message may need many of them.
  const endOfFaults = setTimeout(endFaults, 60_000);
  onTestFinished(() => clearTimeout(endOfFaults));
  await eventually(
    () => {
      for (const member of members) {
        const missing = (keys: string[], received: Received[]) => {
          const found = new Set(received.map(keyOf));
          return keys.filter((key) => !found.has(key));
        };
        if (member.socket) expect(missing(expectedBy(member, devices), posted(member))).toEqual([]);
        if (member.device) expect(missing(expectedBy(member, [connected]), consumed(member))).toEqual([]);
      }
    },
    { timeoutSeconds: 300 },
  );
  endFaults();
  await eventually(async () => expect(await source.isAllDelivered()).toBe(true), { timeoutSeconds: 100 });
  await stopWorkers();

  for (const member of members) {
    const { userId, socket, device } = member;
    const stored = await storedIn(streams.user(userId));
    expect(stored.map(keyOf).toSorted()).toEqual(expectedBy(member, devices).toSorted());
    if (device) {
      const queued = await storedIn(streams.device(userId, connected));
      expect(new Set(queued.map(keyOf)).size).toBe(queued.length);
    }
    for (const { data } of [...stored, ...posted(member), ...consumed(member)]) {
      expect(data.text.replaceAll(data.recipient, "")).toBe("");
    }
    const orders = [stored, ...(socket ? [posted(member)] : [])].map((events) => ({ events, of: devices }));
    if (device) orders.push({ events: consumed(member), of: [connected] });
    for (const { events, of } of orders) {
      const firsts = [...new Set(events.map(keyOf))];
      for (const recipient of of) {
        for (const conversation of upTo(conversations)) {
          const start = `${conversation} ${recipient} `;
          const numbers = firsts
            .filter((key) => key.startsWith(start))
            .map((key) => Number(key.slice(start.length)));
          expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
        }
      }
    }
  }
  expect(faults).toBeGreaterThan(conversations * 6);
});
