import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { relaySocketId } from "#shared/events/sockets/relay.ts";
import { RelayPoster } from "#shared/events/sockets/relay-poster.ts";
import { RelayStore } from "#shared/events/sockets/relay-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import type { RelayPlan } from "../test/support/fork-relay.ts";
import { stackConfig } from "../test/support/stack-config.ts";
import { createPublisher, createTokenSigner, openReceiver } from "./event-client.ts";
import { forkStack } from "./forked-stack.ts";
import type { ClientsCommand, ClientsReport } from "./socket-clients.ts";
import { median, percentile } from "./table.ts";

export interface SocketFigures {
  readonly sockets: number;
  readonly handshakesPerSecond: number;
  /**
   * Figures while all sockets are open and ping every 20 seconds: share of one core, and memory of the relay's process.
   */
  readonly idleCpuShare: number;
  readonly memoryMegabytes: number;
  readonly kilobytesPerSocket: number;
  readonly pongsPerSecond: number;
  /** Frames sent to random sockets through the relay's queue. */
  readonly framesPerSecond: number;
  readonly framesLost: number;
  readonly frameP50Milliseconds: number;
  readonly frameP99Milliseconds: number;
  readonly frameCpuShare: number;
  readonly reconnects: number;
  readonly reconnectsPerSecond: number;
  readonly errors: number;
  /** Time from commit to socket, one event at a time, alternating between a relay and the emulation of API Gateway. */
  readonly relayP50Milliseconds: number;
  readonly gatewayP50Milliseconds: number;
}

const prefix = "sockets";
const handshakeConcurrency = 100;
const reconnects = 10_000;
const idleSeconds = 40;
/** Frames are sent in groups, as `delivery` posts a batch. */
const frames = { perSecond: 5000, seconds: 8, runMilliseconds: 20 };
/** Time after the last frame, after which missing frames count as lost. */
const arrivalMilliseconds = 3000;
const latencyRounds = 60;

/** Measure one relay with many open sockets. @param count sockets, at most as many as a process may have files */
export async function measureSockets(emulators: Emulators, count: number): Promise<SocketFigures> {
  const stack = forkStack();
  const { publicUrl } = await stack.ask({ ...emulators, command: "start", settings: {}, prefix });
  const relay = await forkRelayProcess(emulators);
  const clients = fork(new URL("socket-clients.ts", import.meta.url));
  try {
    const sign = await createTokenSigner(prefix);
    const latencies = await measureLatency(publicUrl, relay.url, sign);
    const emptyMegabytes = relay.usage().megabytes;

    const tokens = Array.from({ length: count }, () => sign(randomUUID()));
    const openedAt = performance.now();
    const open: ClientsCommand = {
      command: "open",
      url: `${relay.url}/await`,
      tokens,
      concurrency: handshakeConcurrency,
    };
    await ask(clients, open);
    const openSeconds = (performance.now() - openedAt) / 1000;

    const before = await ask(clients, { command: "report" });
    const idle = await relay.during(() => delay(idleSeconds * 1000));
    const idleReport = await ask(clients, { command: "report" });
    const { megabytes } = relay.usage();

    let sent = 0;
    const sending = await relay.during(async () => {
      sent = await sendFrames(relay.id, count);
    });
    const eventMilliseconds = await takeEvents(clients);

    const again = Math.min(reconnects, count);
    const reconnectedAt = performance.now();
    const { errors } = await ask(clients, {
      command: "reconnect",
      count: again,
      concurrency: handshakeConcurrency,
    });
    return {
      sockets: idleReport.open,
      handshakesPerSecond: count / openSeconds,
      idleCpuShare: idle.cpuShare,
      memoryMegabytes: megabytes,
      kilobytesPerSocket: ((megabytes - emptyMegabytes) * 1024) / count,
      pongsPerSecond: (idleReport.pongs - before.pongs) / idle.seconds,
      framesPerSecond: sent / sending.seconds,
      framesLost: sent - eventMilliseconds.length,
      frameP50Milliseconds: median(eventMilliseconds),
      frameP99Milliseconds: percentile(eventMilliseconds, 0.99),
      frameCpuShare: sending.cpuShare,
      reconnects: again,
      reconnectsPerSecond: again / ((performance.now() - reconnectedAt) / 1000),
      errors,
      ...latencies,
    };
  } finally {
    clients.disconnect();
    relay.stop();
    await stack.stop();
  }
}

async function ask(child: ChildProcess, command: ClientsCommand): Promise<ClientsReport> {
  const answered = once(child, "message");
  child.send(command);
  const [report] = await answered;
  return report as ClientsReport;
}

/**
 * Waits for events until no more arrive.
 * @returns the latency of each
 */
async function takeEvents(clients: ChildProcess): Promise<number[]> {
  const all: number[] = [];
  let arrived: readonly number[];
  do {
    await delay(arrivalMilliseconds);
    arrived = (await ask(clients, { command: "report" })).eventMilliseconds;
    all.push(...arrived);
  } while (arrived.length > 0);
  return all;
}

/**
 * Sends frames at a steady pace, as functions do.
 * @returns their number
 */
async function sendFrames(relayId: string, count: number): Promise<number> {
  const config = stackConfig(prefix);
  const context = { dynamo: createDynamo(), config, clock: systemClock };
  const poster = new RelayPoster({
    config,
    log: createLog("bench", "CRITICAL"),
    relays: new RelayStore(context),
    queues: relayQueues(),
  });
  const content = "x".repeat(400);
  const posts: Promise<string>[] = [];
  const startedAt = performance.now();
  const total = frames.perSecond * frames.seconds;
  while (posts.length < total) {
    const due = Math.min(total, ((performance.now() - startedAt) / 1000) * frames.perSecond);
    while (posts.length < due) {
      // The first sockets were used for the latency.
      const socketId = relaySocketId(relayId, 2 + Math.floor(Math.random() * count));
      const frame = JSON.stringify({ id: randomUUID(), payload: [{ sentAt: Date.now(), content }] });
      posts.push(poster.post(socketId, frame));
    }
    await delay(frames.runMilliseconds);
  }
  return (await Promise.all(posts)).filter((outcome) => outcome === "posted").length;
}

async function measureLatency(
  gatewayUrl: string,
  relayUrl: string,
  sign: (userId: string) => string,
): Promise<Pick<SocketFigures, "relayP50Milliseconds" | "gatewayP50Milliseconds">> {
  const publish = createPublisher(prefix);
  const times: Record<"relay" | "gateway", number[]> = { relay: [], gateway: [] };
  const holders = await Promise.all(
    (["relay", "gateway"] as const).map(async (holder) => {
      const userId = randomUUID();
      const receiver = await openReceiver(holder === "relay" ? relayUrl : gatewayUrl, sign(userId));
      return { holder, userId, receiver, sender: randomUUID() };
    }),
  );
  for (let number = 0; number < latencyRounds; number++) {
    for (const { holder, userId, receiver, sender } of holders) {
      const { committedAt } = await publish({ number, sender, recipients: [userId] });
      await receiver.until(number);
      const milliseconds = (receiver.receivedAt.get(number) ?? Number.NaN) - committedAt;
      // The first sockets load everything that is loaded once.
      if (number >= latencyRounds / 6) times[holder].push(milliseconds);
    }
  }
  for (const { receiver } of holders) receiver.close();
  return {
    relayP50Milliseconds: median(times.relay),
    gatewayP50Milliseconds: median(times.gateway),
  };
}

const relayQueues = () =>
  stackConfig(prefix)
    .queueUrl("events")
    .replace(/events\.fifo$/, "relay-");

/** A relay in its own process, and its use of this machine. */
async function forkRelayProcess({ environment, folder }: Emulators) {
  const settingsFile = join(folder, "relay-settings.json");
  writeFileSync(settingsFile, JSON.stringify(parseSettings({})));
  const plan: RelayPlan = { environment, settingsFile, prefix, drainSeconds: 0, limits: {} };
  const child = fork(new URL("../test/support/relay-process.ts", import.meta.url), {
    env: { ...process.env, RELAY: JSON.stringify(plan) },
  });
  const [{ id, port }] = (await once(child, "message")) as [{ id: string; port: number }];
  const usage = () => usageOf(child.pid ?? 0);
  return {
    id,
    url: `http://127.0.0.1:${port}`,
    usage,
    async during(work: () => Promise<unknown>): Promise<{ seconds: number; cpuShare: number }> {
      const before = usage().cpuSeconds;
      const startedAt = performance.now();
      await work();
      const seconds = (performance.now() - startedAt) / 1000;
      return { seconds, cpuShare: (usage().cpuSeconds - before) / seconds };
    },
    stop: () => child.kill("SIGKILL"),
  };
}

/** CPU time and resident memory of a process, as Linux counts them (proc_pid_stat(5)). */
function usageOf(pid: number): { cpuSeconds: number; megabytes: number } {
  const afterName = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const [user = 0, system = 0] = [11, 12].map((index) => Number(afterName[index]));
  const pages = Number(afterName[21]);
  return { cpuSeconds: (user + system) / 100, megabytes: (pages * 4096) / 2 ** 20 };
}
