import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import type { Emulators } from "#lib/local/emulators/emulators.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { type BenchRequest, type BenchStack, bodyOf, typeOf } from "./api-client.ts";
import { forkStack } from "./forked-stack.ts";
import { type Operation, operationsBySettings } from "./operations.ts";
import type { StackCommand, StackReport } from "./stack-process.ts";
import { mean, percentile } from "./table.ts";

export interface LoadFigures {
  /** One request at a time. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** Mean time in gateway and function, one request at a time. */
  readonly handlerMilliseconds: number;
  readonly requestsPerSecond: number;
  /** Requests per second of CPU time of the process with gateway, functions and workers. */
  readonly requestsPerCoreSecond: number;
}

/** Production settings without limits, because all requests come from one address. */
export const unlimited: SettingsInput = {
  setPasswordHashingRateLimit: {
    perIp: { burst: 1, refillSeconds: 0 },
    perUser: { burst: 1, refillSeconds: 0 },
    perAccount: { burst: 1, refillSeconds: 0 },
    perNetwork: { burst: 1, refillSeconds: 0 },
  },
  setCodeDeliveryRateLimit: { burst: 1, refillSeconds: 0 },
  setCodeDeliveryRateLimitPerIp: { burst: 1, refillSeconds: 0 },
};

export const concurrency = 8;
const amounts = {
  slow: { warmUp: 2, sequential: 8, concurrent: 16 },
  // Node has compiled the hot code only after some hundred requests.
  others: { warmUp: 200, sequential: 100, concurrent: 200 },
} as const;
type Amount = (typeof amounts)[keyof typeof amounts];
const settleMilliseconds = 100;
/** Milliseconds between autocannon's checks whether it is done. */
const sampleInt = 100;

/** Measure every operation with stacks in their own processes, which call the emulators directly. */
export async function measureLoad(emulators: Emulators): Promise<Map<string, LoadFigures>> {
  const figures = new Map<string, LoadFigures>();
  for (const [index, { settings: special, operations }] of operationsBySettings.entries()) {
    const stack = { settings: { ...unlimited, ...special }, prefix: `load-${index}` };
    const measured = await measureOperations(operations, stack, emulators);
    for (const [name, found] of measured) figures.set(name, found);
  }
  return figures;
}

async function measureOperations(
  operations: readonly Operation[],
  options: { settings: SettingsInput; prefix: string },
  { environment, folder }: Emulators,
): Promise<Map<string, LoadFigures>> {
  const { ask, stop } = forkStack();
  try {
    const { publicUrl, internalUrl } = await ask({
      command: "start",
      ...options,
      environment,
      folder,
      hasInstancePerEvent: true,
    });
    const figures = new Map<string, LoadFigures>();
    for (const operation of operations) {
      const advances: number[] = [];
      const advance = (seconds: number) => void advances.push(seconds);
      const stack = { prefix: options.prefix, publicUrl, internalUrl, advance };
      const amount = operation.hashesPassword || operation.isLarge ? amounts.slow : amounts.others;
      const requests = await operation.prepare(stack, amount.warmUp + amount.sequential + amount.concurrent);
      for (const seconds of advances) await ask({ command: "advance", seconds });
      figures.set(operation.name, await measure(operation, stack, requests, amount, ask));
    }
    return figures;
  } finally {
    await stop();
  }
}

async function measure(
  operation: Operation,
  stack: BenchStack,
  requests: BenchRequest[],
  amount: Amount,
  ask: (command: StackCommand) => Promise<StackReport>,
): Promise<LoadFigures> {
  const send = async (connections: number, count: number) => {
    await untilIdle(ask);
    const before = await ask({ command: "report" });
    const run = await load(operation, stack, requests, connections, count);
    const after = await ask({ command: "report" });
    return { ...run, ...after, cpuSeconds: after.cpuSeconds - before.cpuSeconds };
  };
  await send(Math.min(concurrency, amount.warmUp), amount.warmUp);
  const sequential = await send(1, amount.sequential);
  const concurrent = await send(concurrency, amount.concurrent);
  return {
    p50Milliseconds: percentile(sequential.milliseconds, 0.5),
    p99Milliseconds: percentile(sequential.milliseconds, 0.99),
    handlerMilliseconds: mean(sequential.handlerMilliseconds),
    requestsPerSecond: concurrent.milliseconds.length / concurrent.seconds,
    requestsPerCoreSecond: concurrent.milliseconds.length / concurrent.cpuSeconds,
  };
}

/** Send each request once. @throws Error when one is not answered as expected */
async function load(
  { name, expectedStatus }: Operation,
  { publicUrl }: BenchStack,
  requests: BenchRequest[],
  connections: number,
  amount: number,
): Promise<{ milliseconds: number[]; seconds: number }> {
  const milliseconds: number[] = [];
  const unexpected = new Set<number>();
  const setupRequest = (request: object) => {
    const next = requests.pop();
    // autocannon also prepares requests that it does not send.
    if (next === undefined) return request;
    const { method, path, headers } = next;
    return { ...request, method, path, headers: { ...typeOf(next), ...headers }, body: bodyOf(next) };
  };
  const startedAt = performance.now();
  const run = autocannon({ url: publicUrl, connections, amount, sampleInt, requests: [{ setupRequest }] });
  // autocannon itself rounds latencies to whole milliseconds, and notices late that it is done.
  let lastAt = startedAt;
  run.on("response", (_client, status: number, _bytes, responseTime: number) => {
    lastAt = performance.now();
    milliseconds.push(responseTime);
    if (status !== expectedStatus) unexpected.add(status);
  });
  const { errors, timeouts } = await run;
  if (unexpected.size > 0 || errors + timeouts > 0) {
    throw new Error(`${name}: answers ${[...unexpected]}, ${errors} errors, ${timeouts} timeouts`);
  }
  return { milliseconds, seconds: (lastAt - startedAt) / 1000 };
}

/** Wait until workers have handled the messages of earlier requests: they share the CPU with the measurement. */
async function untilIdle(ask: (command: StackCommand) => Promise<StackReport>): Promise<void> {
  let cpuSeconds = (await ask({ command: "report" })).cpuSeconds;
  for (;;) {
    await pause(settleMilliseconds);
    const now = (await ask({ command: "report" })).cpuSeconds;
    if (now - cpuSeconds < (settleMilliseconds / 1000) * 0.1) return;
    cpuSeconds = now;
  }
}
