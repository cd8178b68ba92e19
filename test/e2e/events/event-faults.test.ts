import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { streams } from "#shared/events/notification.ts";
import { eventSource, newReader, numbersIn, type Reader, upTo } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { chooseEventFault, injectFaults, isOfFault } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { times } from "../../support/soak.ts";
import { openSocket, type TestSocket } from "../../support/socket.ts";

const runs = times(15, 60);
const concurrentRuns = times(5, 12);
/** Events of each of the two senders of a run. */
const eventsOfSenders = [3, 2];
const clientId = "c0ffee";
/** Beyond what one item can hold. */
const largePadding = 350_000;

interface Recipient extends Reader {
  /** Open on `/await`. */
  socket?: TestSocket;
  /** Open on `/events`; it acknowledges everything that it receives. */
  device?: TestSocket;
  /** Numbers that each sender sends to it. */
  readonly expected: number[][];
}

/** Leaves out a socket that was closed because posts to it failed: its client would read the rest from the log. */
async function newRecipient(stack: OwnStack, kind: "offline" | "online" | "device"): Promise<Recipient> {
  const recipient: Recipient = { ...(await newReader(stack)), expected: [] };
  const { token, userId } = recipient;
  if (kind === "offline") return recipient;
  recipient.socket = await openSocket("/await", { token }, stack);
  recipient.socket.closed.then(() => delete recipient.socket);
  if (kind === "online") return recipient;
  await stack.internalApi("POST", `/i/users/${userId}/clients/${clientId}/consumable-notifications`);
  const device = await openSocket("/events", { token, query: { client: clientId } }, stack);
  device.onFrame = ({ data: { delivery_tag } }) => device.send({ type: "ack", data: { delivery_tag } });
  device.closed.then(() => delete recipient.device);
  recipient.device = device;
  return recipient;
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

const numbersPosted = ({ socket }: Recipient) => numbersIn(socket?.frames ?? []);
const numbersConsumed = ({ device }: Recipient) =>
  numbersIn((device?.frames ?? []).map(({ data }) => data.event));

it("stores events once, posts them at least once and keeps their order, whatever fails", {
  timeout: 480_000,
}, async () => {
  // Pauses between sends grow from this one.
  const stack = await stackWith(
    { outboxResendSeconds: 1, socketPostMilliseconds: 10_000 },
    { expectsError: isOfFault },
  );
  const source = eventSource(stack);
  await source.setVisibilityTimeout(4);
  const stopWorkers = source.addWorkers(stack.invoke);
  const kinds = upTo(40).map((number) => (number <= 8 ? "offline" : number <= 36 ? "online" : "device"));
  const recipients = await Promise.all(kinds.map((kind) => newRecipient(stack, kind)));
  const archive = { ...(await newReader(stack)), expected: [] as number[] };

  let faults = 0;
  const endFaults = injectFaults((call) => {
    const fault = chooseEventFault(call);
    if (fault !== undefined) faults++;
    return fault;
  });
  onTestFinished(endFaults);
  const latePosts = recordLatePosts();
  let events = 0;
  async function run(number: number): Promise<void> {
    const first = number * 7;
    const to = upTo(number % 8 === 0 ? 3 : 1).flatMap(
      (step) => recipients[(first + step * 13) % recipients.length] ?? [],
    );
    for (const count of eventsOfSenders) {
      const sender = randomUUID();
      const numbers = upTo(count).map(() => ++events);
      await source.publish(...numbers.map((event) => ({ number: event, to, sender })));
      for (const { expected } of to) expected.push(numbers);
    }
    if (number % 20 !== 0) return;
    archive.expected.push(number);
    await source.publish({ number, to: [archive], padding: largePadding });
  }
  let begun = 0;
  const work = async () => {
    while (begun < runs) await run(++begun);
  };
  await Promise.all(upTo(concurrentRuns).map(work));
  // Pauses after failures grow up to half a minute: while faults continue, the last event may need many of them.
  const endOfFaults = setTimeout(endFaults, 90_000);
  onTestFinished(() => clearTimeout(endOfFaults));
  await eventually(
    () => {
      for (const recipient of recipients) {
        const missing = (numbers: number[]) =>
          recipient.expected.flat().filter((number) => !numbers.includes(number));
        if (recipient.socket) expect(missing(numbersPosted(recipient))).toEqual([]);
        if (recipient.device) expect(missing(numbersConsumed(recipient))).toEqual([]);
      }
    },
    { timeoutSeconds: 300 },
  );
  const open = recipients
    .flatMap(({ socket, device }) => [socket, device])
    .filter((one) => one !== undefined);
  expect(open.length + latePosts.size).toBeGreaterThanOrEqual(36);
  endFaults();
  await eventually(async () => expect(await source.isAllDelivered()).toBe(true), { timeoutSeconds: 100 });
  await stopWorkers();

  const archived: { number: number; padding: string }[] = [];
  for await (const entry of source.store.after(streams.user(archive.userId), 0)) {
    const [view] = await source.store.withPayloads([entry]);
    archived.push(...((view?.payload ?? []) as typeof archived));
  }
  const numbersArchived = archived.map(({ number }) => number);
  expect(numbersArchived.toSorted(ascending)).toEqual(archive.expected.toSorted(ascending));
  for (const { padding } of archived) expect(padding).toHaveLength(largePadding);

  for (const recipient of recipients) {
    const { userId, socket, device, expected } = recipient;
    const stored = await source.numbersIn(streams.user(userId));
    const queued = device && (await source.numbersIn(streams.device(userId, clientId)));
    expect(stored.toSorted(ascending)).toEqual(expected.flat().toSorted(ascending));
    if (queued) expect(new Set(queued).size).toBe(queued.length);
    for (const numbers of expected) {
      const inOrder = (all: number[]) => firstOfEach(all).filter((number) => numbers.includes(number));
      expect(inOrder(stored)).toEqual(numbers);
      if (socket) expect(inOrder(numbersPosted(recipient))).toEqual(numbers);
      if (device) expect(inOrder(numbersConsumed(recipient))).toEqual(numbers);
    }
  }
  expect(faults).toBeGreaterThan(runs);
});

const ascending = (one: number, other: number) => one - other;
const firstOfEach = (numbers: readonly number[]) => [...new Set(numbers)];
