import { randomUUID } from "node:crypto";
import type { Emulators } from "#lib/local/emulators.ts";
import { startStack } from "#lib/local/stack.ts";
import {
  createPublisher,
  createTokenSigner,
  openReceiver,
  type Publish,
  type Receiver,
} from "./event-client.ts";
import { forkStack } from "./forked-stack.ts";
import { type AwsCall, type Recording, startProxies, sumOf, untilQuiet } from "./recording-proxy.ts";
import { percentile } from "./table.ts";

export interface EventFigures {
  /** Of one event, each with a socket as far as it goes. */
  readonly recipients: number;
  /** From the answer to the commit until the frame is there, one event after the other. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  readonly eventsPerSecond: number;
  readonly deliveriesPerSecond: number;
  /** Of one event, with its way through the outbox. */
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queuedMessages: number;
}

/** Of the design: p50 for one recipient. */
export const targetMilliseconds = 50;

const sizes = [
  { recipients: 1, alone: 60, together: 200 },
  { recipients: 100, alone: 12, together: 16 },
  { recipients: 2000, alone: 2, together: 2 },
];
/** Sockets of the last recipients are those that wait longest; more would measure this machine's sockets. */
const maxSockets = 50;
/** Senders whose events are under way at the same time. */
const senders = 8;

interface LatencyFigures
  extends Pick<
    EventFigures,
    "p50Milliseconds" | "p99Milliseconds" | "eventsPerSecond" | "deliveriesPerSecond"
  > {}

/** Latency, throughput and consumption of events by their number of recipients. */
export async function measureEvents(emulators: Emulators): Promise<EventFigures[]> {
  const latencies = await measureLatency(emulators);
  const units = await countUnits(emulators);
  return sizes.map(({ recipients }, index) => ({
    recipients,
    ...(latencies[index] as LatencyFigures),
    ...(units[index] as Units),
  }));
}

/** Begins the names of the resources of the stack in a process of its own. */
const prefix = "load";

/** By a stack in a process of its own that talks to the emulators directly. */
async function measureLatency({ environment, folder }: Emulators): Promise<LatencyFigures[]> {
  Object.assign(process.env, environment);
  const stack = forkStack();
  try {
    const { publicUrl } = await stack.ask({ command: "start", settings: {}, prefix, environment, folder });
    const publish = createPublisher(prefix);
    const sign = await createTokenSigner(prefix);
    const figures: LatencyFigures[] = [];
    for (const { recipients, alone, together } of sizes) {
      const users = Array.from({ length: recipients }, () => randomUUID());
      const step = Math.ceil(recipients / maxSockets);
      const online = users.filter((_, index) => (recipients - 1 - index) % step === 0);
      const receivers = await Promise.all(online.map((user) => openReceiver(publicUrl, sign(user))));
      // The first one only warms up.
      await publishAlone(publish, users, receivers, 1);
      const milliseconds = await publishAlone(publish, users, receivers, alone);
      const seconds = await publishTogether(publish, users, receivers, together);
      for (const receiver of receivers) receiver.close();
      figures.push({
        p50Milliseconds: percentile(milliseconds, 0.5),
        p99Milliseconds: percentile(milliseconds, 0.99),
        eventsPerSecond: together / seconds,
        deliveriesPerSecond: (together * recipients) / seconds,
      });
    }
    return figures;
  } finally {
    await stack.stop();
  }
}

let lastNumber = 0;

/** One event after the other; milliseconds of each until each socket has it. */
async function publishAlone(
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

/** Events of several senders at once; seconds until all sockets have all. */
async function publishTogether(
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

type Units = Pick<EventFigures, "readUnits" | "writeUnits" | "queuedMessages">;

/** By a stack whose calls all pass a recording proxy. */
async function countUnits(emulators: Emulators): Promise<Units[]> {
  const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
  const proxies = await startProxies(emulators.environment, recording);
  Object.assign(process.env, proxies.environment);
  const { environment } = proxies;
  const { folder } = emulators;
  const stack = await startStack({
    settings: { outboxResendSeconds: 3600 },
    prefix: "events",
    emulators: { environment, folder },
  });
  try {
    const publish = createPublisher("events");
    const sign = await createTokenSigner("events");
    const units: Units[] = [];
    for (const { recipients } of sizes) {
      const users = Array.from({ length: recipients }, () => randomUUID());
      const receivers = await Promise.all(
        users.slice(-maxSockets).map((user) => openReceiver(stack.publicUrl, sign(user))),
      );
      // The first event of a user finds an empty log.
      await publishAlone(publish, users, receivers, 1);
      await untilQuiet(recording);
      recording.calls.length = 0;
      await publishAlone(publish, users, receivers, 1);
      await untilQuiet(recording);
      const ofAction = (name: string) => recording.calls.filter(({ action }: AwsCall) => action === name);
      units.push({
        readUnits: sumOf(recording.calls, "readUnits"),
        writeUnits: sumOf(recording.calls, "writeUnits"),
        queuedMessages: ofAction("SendMessage").length,
      });
      for (const receiver of receivers) receiver.close();
      await untilQuiet(recording);
    }
    return units;
  } finally {
    await stack.stop();
    await proxies.stop();
    Object.assign(process.env, emulators.environment);
  }
}
