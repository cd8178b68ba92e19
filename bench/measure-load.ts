import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import type { Emulators } from "#lib/local/emulators.ts";
import type { SettingsInput } from "#shared/settings.ts";
import { type BenchRequest, type BenchStack, bodyOf, call, typeOf } from "./api-client.ts";
import { forkStack } from "./forked-stack.ts";
import { type Operation, operationsBySettings } from "./operations.ts";
import type { StackCommand, StackReport } from "./stack-process.ts";
import { mean, percentile } from "./table.ts";

export interface LoadFigures {
  /** One request after the other. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** Mean time in gateway and function, one request after the other. */
  readonly handlerMilliseconds: number;
  readonly requestsPerSecond: number;
  /** By the CPU time of the process with gateway, functions and workers. */
  readonly requestsPerCoreSecond: number;
}

/** Production settings without limits: all requests come from one address. */
const settings: SettingsInput = {
  setPasswordHashingRateLimit: {
    perIp: { burst: 1, refillSeconds: 0 },
    perUser: { burst: 1, refillSeconds: 0 },
  },
  setCodeDeliveryRateLimit: { burst: 1, refillSeconds: 0 },
  setCodeDeliveryRateLimitPerIp: { burst: 1, refillSeconds: 0 },
};

export const concurrency = 8;
const amounts = {
  slow: { warmUp: 2, alone: 8, together: 16 },
  others: { warmUp: 30, alone: 100, together: 200 },
} as const;
type Amount = (typeof amounts)[keyof typeof amounts];
const settleMilliseconds = 100;
/** Milliseconds between two looks of autocannon at whether it is done. */
const sampleInt = 100;

/** Latency and throughput of every operation, by stacks in processes of their own that talk to the emulators directly. */
export async function measureLoad(emulators: Emulators): Promise<Map<string, LoadFigures>> {
  const figures = new Map<string, LoadFigures>();
  for (const [index, { settings: special, operations }] of operationsBySettings.entries()) {
    const stack = { settings: { ...settings, ...special }, prefix: `load-${index}` };
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
    const { publicUrl, internalUrl } = await ask({ command: "start", ...options, environment, folder });
    const figures = new Map<string, LoadFigures>();
    for (const operation of operations) {
      const advances: number[] = [];
      const stack = { publicUrl, internalUrl, advance: (seconds: number) => void advances.push(seconds) };
      const amount = operation.hashesPassword || operation.isLarge ? amounts.slow : amounts.others;
      const requests = await operation.prepare(stack, amount.warmUp + amount.alone + amount.together);
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
  for (const request of requests.splice(0, amount.warmUp))
    await call(stack.publicUrl, request, operation.expectedStatus);
  const alone = await send(1, amount.alone);
  const together = await send(concurrency, amount.together);
  return {
    p50Milliseconds: percentile(alone.milliseconds, 0.5),
    p99Milliseconds: percentile(alone.milliseconds, 0.99),
    handlerMilliseconds: mean(alone.handlerMilliseconds),
    requestsPerSecond: together.milliseconds.length / together.seconds,
    requestsPerCoreSecond: together.milliseconds.length / together.cpuSeconds,
  };
}

/** Send requests, each once. @throws Error when one is not answered as expected */
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
    // autocannon also asks for requests that it does not send.
    if (next === undefined) return request;
    const { method, path, headers } = next;
    return { ...request, method, path, headers: { ...typeOf(next), ...headers }, body: bodyOf(next) };
  };
  const startedAt = performance.now();
  const run = autocannon({ url: publicUrl, connections, amount, sampleInt, requests: [{ setupRequest }] });
  // autocannon itself knows latencies in whole milliseconds only, and notices its end late.
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

/** Until workers have sent what earlier requests left them: they share the CPU with what is measured. */
async function untilIdle(ask: (command: StackCommand) => Promise<StackReport>): Promise<void> {
  let cpuSeconds = (await ask({ command: "report" })).cpuSeconds;
  for (;;) {
    await pause(settleMilliseconds);
    const now = (await ask({ command: "report" })).cpuSeconds;
    if (now - cpuSeconds < (settleMilliseconds / 1000) * 0.1) return;
    cpuSeconds = now;
  }
}
