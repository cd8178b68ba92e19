import { randomUUID } from "node:crypto";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
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
  /** Recipients of one event, of whom up to `maxSockets` have a socket. */
  readonly recipients: number;
  /** Time from the end of the commit until the frame arrives, one event at a time. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  readonly eventsPerSecond: number;
  readonly deliveriesPerSecond: number;
  /** Units of one event, including the outbox. */
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly queuedMessages: number;
}

/** Target of the design for the p50 with one recipient. */
export const targetMilliseconds = 50;

const sizes = [
  { recipients: 1, sequential: 60, concurrent: 200 },
  { recipients: 100, sequential: 12, concurrent: 16 },
  { recipients: 2000, sequential: 2, concurrent: 2 },
];
/** They spread over all recipients up to the last, who waits longest; more would measure this machine's sockets. */
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

/** Prefix of the resources of the stack in a process of its own. */
const prefix = "load";

/** Measured with a stack in a process of its own that talks to the emulators directly. */
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
      // The first one only warms up.
      await publishSequentially(publish, users, receivers, 1);
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

type Units = Pick<EventFigures, "readUnits" | "writeUnits" | "queuedMessages">;

/** Counted with a stack whose calls all pass a recording proxy. */
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
      await publishSequentially(publish, users, receivers, 1);
      await untilQuiet(recording);
      recording.calls.length = 0;
      await publishSequentially(publish, users, receivers, 1);
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
