import { basename, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createTokenSigner, type Receiver } from "./event-client.ts";
import type { ForkedEmulators } from "./forked-emulators.ts";
import { type ForkedStack, forkStack } from "./forked-stack.ts";
import {
  type Conversation,
  delayMilliseconds,
  type Latency,
  latencyOf,
  type MessageSamples,
  newConversation,
  nextNumber,
  openSockets,
  type Sign,
  sampleMessages,
  send,
  tokenOf,
  waitOf,
} from "./measure-messages.ts";
import { type Recording, startProxies, sumOf, untilQuiet } from "./recording-proxy.ts";
import { median, percentile } from "./table.ts";

/** The complete cost of one message until all sockets have it. */
export interface PathFigures extends Latency {
  readonly version: string;
  readonly members: number;
  /** Devices of each member. */
  readonly devices: number;
  /** Calls in series before the answer. */
  readonly callsInSeries: number;
  /** Calls of functions and workers, without the posts to sockets. */
  readonly sdkCalls: number;
  readonly queueSends: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** The highest rate at which messages still arrive as fast as they are sent. */
export interface CapacityFigures {
  readonly version: string;
  readonly members: number;
  readonly messagesPerSecond: number;
  /** Frames that reached sockets; in large conversations, extrapolated to a socket for every member. */
  readonly deliveriesPerSecond: number;
  /** Time from a message's timestamp until its last socket has it, at this rate. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

/** Latency of messages in 200 conversations, alone and while another conversation is flooded. */
export interface FloodFigures {
  readonly version: string;
  readonly floodPerSecond: number;
  readonly refused: number;
  readonly alone: Pick<Latency, "p50Milliseconds" | "p99Milliseconds">;
  readonly beside: Pick<Latency, "p50Milliseconds" | "p99Milliseconds">;
  readonly lost: number;
}

/** A checkout with the stack to measure. */
interface Version {
  readonly version: string;
  readonly prefix: string;
  readonly stack: ForkedStack;
  readonly publicUrl: string;
  readonly sign: Sign;
}

const sizes = [
  { members: 3, messages: 20, warmUps: 30 },
  { members: 6, messages: 20, warmUps: 20 },
  { members: 10, messages: 20, warmUps: 20 },
  { members: 10, devices: 2, messages: 20, warmUps: 20 },
  { members: 100, messages: 8, warmUps: 4 },
  { members: 500, messages: 4, warmUps: 2 },
];
/** Rounds in which versions take turns, so that a busy moment of the machine affects all of them. */
const rounds = 2;
const capacities = [
  { members: 10, conversations: 20, firstRate: 20 },
  { members: 500, conversations: 2, firstRate: 1 },
];
const rateFactor = 1.25;
const secondsAtRate = 4;
/** Messages under way that do not count as a backlog, in seconds of the rate. */
const secondsUnderWay = 0.5;
const fewestUnderWay = 5;
const longestWaitMilliseconds = 30_000;
const flood = { others: 200, members: 3, senders: 4, othersPerSecond: 20, seconds: 5 };

/**
 * Measure messages from the request to the last socket.
 * @param against folder of another checkout, whose stack is measured in turns with that of this one
 */
export async function measureMessagePath(emulators: ForkedEmulators, against?: string) {
  const roots = [undefined, ...(against === undefined ? [] : [resolve(against)])];
  const versions: Version[] = [];
  try {
    for (const [index, root] of roots.entries())
      versions.push(await startVersion(emulators, root, `messages-${index}`));

    const latencies = await measureLatencies(emulators, versions);
    const capacity: CapacityFigures[] = [];
    for (const options of capacities)
      for (const version of versions) capacity.push(await findCapacity(version, options));
    const floods: FloodFigures[] = [];
    for (const version of versions) floods.push(await measureFlood(version));
    return { path: await withCounts(emulators, roots, versions, latencies), capacity, floods };
  } finally {
    for (const { stack } of versions) await stack.stop();
  }
}

async function startVersion(
  { environment, folder }: Pick<ForkedEmulators, "environment" | "folder">,
  root: string | undefined,
  prefix: string,
): Promise<Version> {
  const stack = forkStack({ root });
  const { publicUrl } = await stack.ask({ command: "start", settings: {}, prefix, environment, folder });
  const version = root === undefined ? "this one" : basename(root);
  return { version, prefix, stack, publicUrl, sign: await createTokenSigner(prefix) };
}

interface Measured extends Latency {
  readonly version: Version;
  readonly conversation: Conversation;
}

async function measureLatencies(
  { cpuSeconds: storeCpuSeconds }: ForkedEmulators,
  versions: readonly Version[],
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { members, devices = 1, ...numbers } of sizes) {
    const subjects = await Promise.all(
      versions.map(async (version) => ({
        version,
        conversation: await newConversation(members, version.prefix, devices),
        samples: [] as MessageSamples[],
      })),
    );
    for (let round = 0; round < rounds; round++) {
      for (const { version, conversation, samples } of subjects) {
        const { stack, publicUrl, sign } = version;
        const options = { ...numbers, storeCpuSeconds };
        samples.push(await sampleMessages(stack, publicUrl, sign, conversation, options));
      }
    }
    for (const { samples, ...subject } of subjects) measured.push({ ...subject, ...latencyOf(samples) });
  }
  return measured;
}

/** Count the calls of each version by a second stack on its data, whose calls pass proxies. */
async function withCounts(
  emulators: ForkedEmulators,
  roots: readonly (string | undefined)[],
  versions: readonly Version[],
  latencies: readonly Measured[],
): Promise<PathFigures[]> {
  for (const { stack } of versions) await stack.stop();
  const counts = new Map<Conversation, Awaited<ReturnType<typeof countPath>>>();
  for (const [index, { prefix }] of versions.entries()) {
    const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
    const proxies = await startProxies(emulators.environment, recording);
    const counted = await startVersion(
      { ...emulators, environment: proxies.environment },
      roots[index],
      prefix,
    );
    const ofVersion = latencies.filter(({ version }) => version.prefix === prefix);
    for (const { conversation } of ofVersion)
      counts.set(conversation, await countPath(counted, conversation, recording));
    await counted.stack.stop();
    await proxies.stop();
  }
  return latencies.map(({ version: { version }, conversation, ...latency }) => ({
    version,
    members: conversation.users.length,
    devices: 1 + (conversation.users[0]?.otherClientIds?.length ?? 0),
    ...latency,
    ...(counts.get(conversation) as Awaited<ReturnType<typeof countPath>>),
  }));
}

/** Send a message a few times: those with delayed calls tell how many the answer waits for, the last one is counted. */
async function countPath({ publicUrl, sign }: Version, conversation: Conversation, recording: Recording) {
  const token = tokenOf(sign, conversation);
  const receivers = await openSockets(publicUrl, sign, conversation);
  const sendOnce = async (milliseconds: number) => {
    await untilQuiet(recording);
    recording.calls.length = 0;
    recording.delayMilliseconds = milliseconds;
    const number = nextNumber();
    const answer = await send(publicUrl, token, conversation, number);
    recording.delayMilliseconds = 0;
    await Promise.all(receivers.map((receiver) => receiver.until(number)));
    await untilQuiet(recording);
    return answer.milliseconds;
  };
  for (let warmUp = 0; warmUp < 2; warmUp++) await sendOnce(0);
  const delayed = Math.min(await sendOnce(delayMilliseconds), await sendOnce(delayMilliseconds));
  const plain = Math.min(await sendOnce(0), await sendOnce(0));
  for (const receiver of receivers) receiver.close();
  const calls = recording.calls.filter(({ action }) => !action.startsWith("DeleteMessage"));
  return {
    callsInSeries: Math.round((delayed - plain) / delayMilliseconds),
    sdkCalls: calls.length,
    queueSends: calls.filter(({ action }) => action.startsWith("SendMessage")).length,
    readUnits: sumOf(calls, "readUnits"),
    writeUnits: sumOf(calls, "writeUnits"),
  };
}

/** A conversation with sockets, and its sender. */
interface Group {
  readonly conversation: Conversation;
  readonly token: string;
  readonly receivers: readonly Receiver[];
}

async function openGroups(
  { prefix, publicUrl, sign }: Version,
  { members, count, sockets }: { members: number; count: number; sockets?: number },
): Promise<Group[]> {
  const groups: Group[] = [];
  for (let index = 0; index < count; index++) {
    const conversation = await newConversation(members, prefix);
    const receivers = await openSockets(publicUrl, sign, conversation, sockets);
    groups.push({ conversation, token: tokenOf(sign, conversation), receivers });
  }
  return groups;
}

const closeGroups = (groups: readonly Group[]) => {
  for (const { receivers } of groups) for (const receiver of receivers) receiver.close();
};

interface Sent {
  readonly number: number;
  readonly sentAt: number;
  readonly receivers: readonly Receiver[];
}

/** Milliseconds until the last socket has a message; NaN while one has not. */
const lastWait = ({ number, sentAt, receivers }: Sent) =>
  Math.max(...receivers.map((receiver) => waitOf(receiver, number, sentAt)));

/**
 * Send at a steady rate to groups in turn.
 * @returns the messages sent, and the number under way at the end
 */
async function sendAtRate(publicUrl: string, groups: readonly Group[], rate: number, seconds: number) {
  const sent: Sent[] = [];
  const sends = Array.from({ length: Math.round(rate * seconds) }, async (_, index) => {
    await delay((index * 1000) / rate);
    const { conversation, token, receivers } = groups[index % groups.length] as Group;
    const number = nextNumber();
    const { sentAt } = await send(publicUrl, token, conversation, number);
    sent.push({ number, sentAt, receivers });
  });
  await delay(seconds * 1000);
  const underWay = sends.length - sent.filter((one) => !Number.isNaN(lastWait(one))).length;
  await Promise.all(sends);
  const arrivals = sent.flatMap(({ number, receivers }) =>
    receivers.map((receiver) => receiver.until(number)),
  );
  await Promise.race([Promise.all(arrivals), delay(longestWaitMilliseconds, undefined, { ref: false })]);
  return { sent, underWay };
}

const waitsOf = (sent: readonly Sent[]) => sent.map(lastWait).filter((wait) => !Number.isNaN(wait));
const latencyOfWaits = (waits: readonly number[]) => ({
  p50Milliseconds: median(waits),
  p99Milliseconds: percentile(waits, 0.99),
});

/** Raise the rate until a backlog grows. */
async function findCapacity(
  version: Version,
  { members, conversations, firstRate }: (typeof capacities)[number],
): Promise<CapacityFigures> {
  const groups = await openGroups(version, { members, count: conversations });
  let best = { version: version.version, members, messagesPerSecond: 0, deliveriesPerSecond: 0 };
  let waits: readonly number[] = [];
  for (let rate = firstRate; ; rate *= rateFactor) {
    const sendAll = () => sendAtRate(version.publicUrl, groups, rate, secondsAtRate);
    const isTooMuch = ({ underWay }: { underWay: number }) =>
      underWay > Math.max(fewestUnderWay, rate * secondsUnderWay);
    const first = await sendAll();
    // A busy moment of the machine is not a limit.
    const run = isTooMuch(first) ? await sendAll() : first;
    if (isTooMuch(run)) break;
    const { sent } = run;
    const messagesPerSecond = sent.length / secondsAtRate;
    best = { ...best, messagesPerSecond, deliveriesPerSecond: messagesPerSecond * (members - 1) };
    waits = waitsOf(sent);
  }
  closeGroups(groups);
  return { ...best, ...latencyOfWaits(waits) };
}

async function measureFlood(version: Version): Promise<FloodFigures> {
  const { others, members, othersPerSecond, seconds, senders } = flood;
  const groups = await openGroups(version, { members, count: others, sockets: 1 });
  const [flooded] = await openGroups(version, { members, count: 1, sockets: 0 });
  const { publicUrl } = version;
  const alone = await sendAtRate(publicUrl, groups, othersPerSecond, seconds);
  let [isOver, accepted, refused] = [false, 0, 0];
  const floods = Array.from({ length: senders }, async () => {
    while (!isOver && flooded !== undefined) {
      await send(publicUrl, flooded.token, flooded.conversation, nextNumber()).then(
        () => accepted++,
        () => refused++,
      );
    }
  });
  const beside = await sendAtRate(publicUrl, groups, othersPerSecond, seconds);
  isOver = true;
  await Promise.all(floods);
  closeGroups(groups);
  const sent = alone.sent.length + beside.sent.length;
  return {
    version: version.version,
    floodPerSecond: accepted / seconds,
    refused,
    alone: latencyOfWaits(waitsOf(alone.sent)),
    beside: latencyOfWaits(waitsOf(beside.sent)),
    lost: sent - waitsOf(alone.sent).length - waitsOf(beside.sent).length,
  };
}
