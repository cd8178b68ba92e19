import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { startStack } from "#lib/local/stack.ts";
import {
  createDeviceQueue,
  createPublisher,
  createTokenSigner,
  openDevice,
  openReceiver,
  type Publish,
  type Receiver,
} from "./event-client.ts";
import { forkStack } from "./forked-stack.ts";
import { type AwsCall, type Recording, startProxies, sumOf, untilQuiet } from "./recording-proxy.ts";
import { percentile } from "./table.ts";

export interface EventFigures {
  /** Recipients of one event; up to `maxSockets` of them have a socket. */
  readonly recipients: number;
  /** Time from the end of the commit to the arrival of the frame, one event at a time. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  readonly eventsPerSecond: number;
  readonly deliveriesPerSecond: number;
  /** Units of one event, including the outbox. */
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queuedMessages: number;
  /** Calls of functions to AWS, without posts: one for each open socket. */
  readonly calls: number;
}

/** Many senders write to one recipient. */
export interface BusyRecipientFigures {
  readonly senders: number;
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly lost: number;
  readonly outOfOrder: number;
  /** Write units per event: of the recipient's log, and in total. */
  readonly logWriteUnits: number;
  readonly writeUnits: number;
}

/** Average cost of one event whose only recipient has these sockets and devices. */
export interface DeviceFigures {
  readonly recipient: string;
  /** Calls of functions to AWS, without posts, and units, all including the outbox. */
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Goal for the p50 with one recipient. */
export const targetMilliseconds = 25;

const sizes = [
  { recipients: 1, sequential: 60, concurrent: 200 },
  { recipients: 100, sequential: 12, concurrent: 16 },
  { recipients: 500, sequential: 4, concurrent: 8 },
  { recipients: 2000, sequential: 2, concurrent: 2 },
];
/**
 * Sockets are spread over all recipients up to the last, who waits longest; more sockets would measure this machine.
 */
const maxSockets = 50;
/** Senders that publish concurrently. */
const senders = 8;

interface LatencyFigures
  extends Pick<
    EventFigures,
    "p50Milliseconds" | "p99Milliseconds" | "eventsPerSecond" | "deliveriesPerSecond"
  > {}

/** Measure latency, throughput and consumption of events by their number of recipients. */
export async function measureEvents(emulators: Emulators): Promise<EventFigures[]> {
  const latencies = await measureLatency(emulators);
  const units = await countUnits(emulators);
  return sizes.map(({ recipients }, index) => ({
    recipients,
    ...(latencies[index] as LatencyFigures),
    ...(units[index] as Units),
  }));
}

const busySenders = 50;
const eventsOfSender = 20;
/** Events that have not arrived by then count as lost. */
const longestWaitMilliseconds = 60_000;

/** Measure what one recipient can receive from many senders who send concurrently. */
export async function measureBusyRecipient(emulators: Emulators): Promise<BusyRecipientFigures> {
  const { eventsPerSecond, lost, outOfOrder } = await timeBusyRecipient(emulators);
  const events = busySenders * eventsOfSender;
  return {
    senders: busySenders,
    events,
    eventsPerSecond,
    lost,
    outOfOrder,
    ...(await countUnitsOfBusyRecipient(emulators)),
  };
}

async function timeBusyRecipient({ environment, folder }: Emulators) {
  Object.assign(process.env, environment);
  const stack = forkStack();
  try {
    const { publicUrl } = await stack.ask({
      command: "start",
      settings: {},
      prefix: "busy",
      environment,
      folder,
    });
    const publish = createPublisher("busy");
    const sign = await createTokenSigner("busy");
    // The first recipient only warms up.
    await sendFromMany(publish, randomUUID(), publicUrl, sign);
    return await sendFromMany(publish, randomUUID(), publicUrl, sign);
  } finally {
    await stack.stop();
  }
}

async function sendFromMany(
  publish: Publish,
  recipient: string,
  publicUrl: string,
  sign: (userId: string) => string,
) {
  const receiver = await openReceiver(publicUrl, sign(recipient));
  const startedAt = performance.now();
  const numbersOf = await Promise.all(
    Array.from({ length: busySenders }, async () => {
      const sender = randomUUID();
      const numbers: number[] = [];
      for (let index = 0; index < eventsOfSender; index++) {
        const number = ++lastNumber;
        numbers.push(number);
        await publish({ number, sender, recipients: [recipient] });
      }
      return numbers;
    }),
  );
  await Promise.race([
    Promise.all(numbersOf.flat().map((number) => receiver.until(number))),
    delay(longestWaitMilliseconds, undefined, { ref: false }),
  ]);
  const seconds = (performance.now() - startedAt) / 1000;
  receiver.close();
  const arrived = [...receiver.receivedAt.keys()];
  const outOfOrder = numbersOf.filter((numbers) => {
    const own = arrived.filter((number) => numbers.includes(number));
    return own.some((number, index) => index > 0 && number < (own[index - 1] ?? 0));
  });
  return {
    eventsPerSecond: arrived.length / seconds,
    lost: busySenders * eventsOfSender - arrived.length,
    outOfOrder: outOfOrder.length,
  };
}

async function countUnitsOfBusyRecipient(emulators: Emulators) {
  return withRecordedStack(emulators, "busy-counted", async ({ recording, publicUrl, publish, sign }) => {
    await sendFromMany(publish, randomUUID(), publicUrl, sign);
    await untilQuiet(recording);
    recording.calls.length = 0;
    await sendFromMany(publish, randomUUID(), publicUrl, sign);
    await untilQuiet(recording);
    const events = busySenders * eventsOfSender;
    const inLog = recording.calls.filter(({ table }: AwsCall) => table?.endsWith("-notifications"));
    return {
      logWriteUnits: sumOf(inLog, "writeUnits") / events,
      writeUnits: sumOf(recording.calls, "writeUnits") / events,
    };
  });
}

const eventsOfDevice = 10;
const clientId = "c0ffee";

/** Measure the cost that a device's queue adds to the delivery of an event. */
export function measureDevices(emulators: Emulators): Promise<DeviceFigures[]> {
  const cases = [
    { recipient: "with a socket on /await", device: undefined },
    { recipient: "also with an open device on /events", device: { acknowledges: false } },
    { recipient: "the same, acknowledging", device: { acknowledges: true } },
    { recipient: "also with a closed device", device: "closed" as const },
  ];
  return withRecordedStack(emulators, "devices", async ({ recording, publicUrl, publish, sign }) => {
    const figures: DeviceFigures[] = [];
    for (const { recipient, device } of cases) {
      const user = randomUUID();
      const token = sign(user);
      if (device !== undefined) await createDeviceQueue("devices", user, clientId);
      const receivers = [await openReceiver(publicUrl, token)];
      if (typeof device === "object")
        receivers.push(await openDevice(publicUrl, token, { clientId, ...device }));
      // The first event finds an empty log and an empty queue.
      await publishSequentially(publish, [user], receivers, 2);
      await untilQuiet(recording);
      recording.calls.length = 0;
      await publishSequentially(publish, [user], receivers, eventsOfDevice);
      await untilQuiet(recording);
      figures.push({
        recipient,
        calls: callsOfFunctions(recording).length / eventsOfDevice,
        readUnits: sumOf(recording.calls, "readUnits") / eventsOfDevice,
        writeUnits: sumOf(recording.calls, "writeUnits") / eventsOfDevice,
      });
      for (const receiver of receivers) receiver.close();
      await untilQuiet(recording);
    }
    return figures;
  });
}

/** Prefix of the resources of the stack in its own process. */
const prefix = "load";

/** Measured with a stack in its own process that calls the emulators directly. */
async function measureLatency({ environment, folder }: Emulators): Promise<LatencyFigures[]> {
  Object.assign(process.env, environment);
  const stack = forkStack();
  try {
    const { publicUrl } = await stack.ask({ command: "start", settings: {}, prefix, environment, folder });
    const publish = createPublisher(prefix);
    const sign = await createTokenSigner(prefix);
    const figures: LatencyFigures[] = [];
    for (const { recipients, sequential, concurrent } of sizes) {
      const users = Array.from({ length: recipients }, () => randomUUID());
      const step = Math.ceil(recipients / maxSockets);
      const online = users.filter((_, index) => (recipients - 1 - index) % step === 0);
      const receivers = await Promise.all(online.map((user) => openReceiver(publicUrl, sign(user))));
      // The first round only warms up.
      await publishSequentially(publish, users, receivers, sequential);
      await publishConcurrently(publish, users, receivers, concurrent);
      const milliseconds = await publishSequentially(publish, users, receivers, sequential);
      const seconds = await publishConcurrently(publish, users, receivers, concurrent);
      for (const receiver of receivers) receiver.close();
      figures.push({
        p50Milliseconds: percentile(milliseconds, 0.5),
        p99Milliseconds: percentile(milliseconds, 0.99),
        eventsPerSecond: concurrent / seconds,
        deliveriesPerSecond: (concurrent * recipients) / seconds,
      });
    }
    return figures;
  } finally {
    await stack.stop();
  }
}

let lastNumber = 0;

/** Publish one event at a time. @returns milliseconds until each socket has received each event */
async function publishSequentially(
  publish: Publish,
  recipients: readonly string[],
  receivers: readonly Receiver[],
  count: number,
): Promise<number[]> {
  const milliseconds: number[] = [];
  const sender = randomUUID();
  for (let index = 0; index < count; index++) {
    const number = ++lastNumber;
    const { committedAt } = await publish({ number, sender, recipients });
    await Promise.all(receivers.map((receiver) => receiver.until(number)));
    milliseconds.push(
      ...receivers.map(({ receivedAt }) => (receivedAt.get(number) ?? Number.NaN) - committedAt),
    );
  }
  return milliseconds;
}

/** Publish events of several senders concurrently. @returns seconds until all sockets have received all of them */
async function publishConcurrently(
  publish: Publish,
  recipients: readonly string[],
  receivers: readonly Receiver[],
  count: number,
): Promise<number> {
  const startedAt = performance.now();
  const first = lastNumber + 1;
  lastNumber += count;
  const numbers = Array.from({ length: count }, (_, index) => first + index).values();
  const send = async () => {
    const sender = randomUUID();
    for (const number of numbers) await publish({ number, sender, recipients });
  };
  await Promise.all(Array.from({ length: senders }, send));
  for (let number = first; number < first + count; number++) {
    await Promise.all(receivers.map((receiver) => receiver.until(number)));
  }
  return (performance.now() - startedAt) / 1000;
}

type Units = Pick<EventFigures, "readUnits" | "writeUnits" | "queuedMessages" | "calls">;

interface RecordedStack {
  readonly recording: Recording;
  readonly publicUrl: string;
  readonly publish: Publish;
  readonly sign: (userId: string) => string;
}

/** Use a stack whose calls all pass a recording proxy. */
async function withRecordedStack<Result>(
  emulators: Emulators,
  prefix: string,
  use: (stack: RecordedStack) => Promise<Result>,
): Promise<Result> {
  const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
  const proxies = await startProxies(emulators.environment, recording);
  Object.assign(process.env, proxies.environment);
  const { environment } = proxies;
  const { folder } = emulators;
  const stack = await startStack({
    settings: { outboxResendSeconds: 3600 },
    prefix,
    emulators: { environment, folder },
  });
  try {
    const publish = createPublisher(prefix);
    const sign = await createTokenSigner(prefix);
    return await use({ recording, publicUrl: stack.publicUrl, publish, sign });
  } finally {
    await stack.stop();
    await proxies.stop();
    Object.assign(process.env, emulators.environment);
  }
}

/** Calls of the pollers of queues, which Lambda does itself. */
const pollerActions = new Set(["ReceiveMessage", "DeleteMessageBatch"]);

const callsOfFunctions = ({ calls }: Recording) => calls.filter(({ action }) => !pollerActions.has(action));

function countUnits(emulators: Emulators): Promise<Units[]> {
  return withRecordedStack(emulators, "events", async ({ recording, publicUrl, publish, sign }) => {
    const units: Units[] = [];
    for (const { recipients } of sizes) {
      const users = Array.from({ length: recipients }, () => randomUUID());
      const receivers = await Promise.all(
        users.slice(-maxSockets).map((user) => openReceiver(publicUrl, sign(user))),
      );
      // The first event of a user finds an empty log.
      await publishSequentially(publish, users, receivers, 1);
      await untilQuiet(recording);
      recording.calls.length = 0;
      await publishSequentially(publish, users, receivers, 1);
      await untilQuiet(recording);
      const ofFunctions = callsOfFunctions(recording);
      const batches = ofFunctions.filter(({ action }) => action.startsWith("SendMessage")).length;
      units.push({
        readUnits: sumOf(recording.calls, "readUnits"),
        writeUnits: sumOf(recording.calls, "writeUnits"),
        queuedMessages: batches,
        calls: ofFunctions.length,
      });
      for (const receiver of receivers) receiver.close();
      await untilQuiet(recording);
    }
    return units;
  });
}
