import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { type LocalStack, type LocalStackOptions, startStack } from "#lib/local/stack.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { type BenchRequest, type BenchStack, call } from "./api-client.ts";
import { type Operation, operationsBySettings } from "./operations.ts";
import { type AwsCall, type Recording, startProxies, sumOf, untilQuiet } from "./recording-proxy.ts";
import { median } from "./table.ts";
import { traceCauses } from "./trace-causes.ts";

/** Calls and units that a typical request of an operation causes: medians of a few samples. */
export interface CallCounts {
  readonly dynamodbCalls: number;
  /** Calls that the response waits for, one after another. */
  readonly dynamodbCallsInSeries: number;
  readonly otherCalls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Caused by queues and timers, after the response. */
  readonly later: { readonly readUnits: number; readonly writeUnits: number; readonly emails: number };
  readonly queuedMessages: number;
}

interface Sample {
  readonly milliseconds: number;
  readonly own: readonly AwsCall[];
  readonly later: readonly AwsCall[];
}

/** Production settings; limits are enforced, but generous, and are reset after a short while. */
const settings: SettingsInput = {
  setPasswordHashingRateLimit: {
    perIp: { burst: 100, refillSeconds: 1 },
    perUser: { burst: 100, refillSeconds: 1 },
    perAccount: { burst: 100, refillSeconds: 1 },
    perNetwork: { burst: 100, refillSeconds: 1 },
  },
  setCodeDeliveryRateLimit: { burst: 100, refillSeconds: 1 },
  setCodeDeliveryRateLimitPerIp: { burst: 100, refillSeconds: 1 },
  outboxResendSeconds: 3600,
};

const samplesOfOthers = 3;
/** More samples, because the time of a hash varies. */
const samplesOfHashing = 5;
const secondsBetweenSamples = 2;
const secondsAfterPreparation = 30;
/** Well above the noise of a measurement, which hashing and size increase; short enough to overlap with a hash. */
const delays = { hashing: 100, large: 500, others: 40 };

/**
 * Count the AWS calls of every operation, with stacks whose calls all pass a recording proxy.
 * Calls in series are counted by their delay: the proxy delays every DynamoDB call by the same time, and the response
 * is late by that time for each call that it waits for. A call parallel to another one, or to the password hash, does
 * not show. The fastest of the samples are compared.
 */
export async function countCalls(emulators: Emulators): Promise<Map<string, CallCounts>> {
  traceCauses();
  const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
  const proxies = await startProxies(emulators.environment, recording);
  const { environment } = proxies;
  Object.assign(process.env, environment);
  try {
    const counts = new Map<string, CallCounts>();
    for (const [index, { settings: special, operations }] of operationsBySettings.entries()) {
      const stack = await startClocked({
        settings: { ...settings, ...special },
        prefix: `count-${index}`,
        emulators: { environment, folder: emulators.folder },
      });
      try {
        for (const operation of operations)
          counts.set(operation.name, await count(operation, stack, recording));
      } finally {
        await stack.stop();
      }
    }
    return counts;
  } finally {
    await proxies.stop();
  }
}

async function startClocked(
  options: Omit<LocalStackOptions, "clock">,
): Promise<BenchStack & Pick<LocalStack, "stop">> {
  let offset = 0;
  const { publicUrl, internalUrl, stop } = await startStack({
    ...options,
    clock: () => Date.now() + offset,
  });
  const advance = (seconds: number) => {
    offset += seconds * 1000;
  };
  return { prefix: options.prefix, publicUrl, internalUrl, advance, stop };
}

async function count(operation: Operation, stack: BenchStack, recording: Recording): Promise<CallCounts> {
  recording.delayMilliseconds = 0;
  const pairs = operation.hashesPassword ? samplesOfHashing : samplesOfOthers;
  const kind = operation.hashesPassword ? "hashing" : operation.isLarge ? "large" : "others";
  const delayMilliseconds = delays[kind];
  const [warmUp, ...requests] = await operation.prepare(stack, 1 + 2 * pairs);
  stack.advance(secondsAfterPreparation);
  const take = (request: BenchRequest | undefined, delay: number): Promise<Sample> => {
    if (request === undefined) throw new Error(`${operation.name} prepared too few requests`);
    stack.advance(secondsBetweenSamples);
    recording.delayMilliseconds = delay;
    return sample(request, operation, stack, recording);
  };
  await take(warmUp, 0);
  const plain: Sample[] = [];
  const delayed: Sample[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    plain.push(await take(requests[2 * pair], 0));
    delayed.push(await take(requests[2 * pair + 1], delayMilliseconds));
  }
  const fastest = (samples: Sample[]) => Math.min(...samples.map(({ milliseconds }) => milliseconds));
  const typical = (figure: (sample: Sample) => number) => median(plain.map(figure));
  const ofService = (calls: readonly AwsCall[], name: string) =>
    calls.filter(({ service }) => service === name);
  return {
    dynamodbCalls: typical(({ own }) => ofService(own, "DYNAMODB").length),
    dynamodbCallsInSeries: Math.round((fastest(delayed) - fastest(plain)) / delayMilliseconds),
    otherCalls: typical(({ own }) => own.length - ofService(own, "DYNAMODB").length),
    readUnits: typical(({ own }) => sumOf(own, "readUnits")),
    writeUnits: typical(({ own }) => sumOf(own, "writeUnits")),
    later: {
      readUnits: typical(({ later }) => sumOf(later, "readUnits")),
      writeUnits: typical(({ later }) => sumOf(later, "writeUnits")),
      emails: typical(({ later }) => ofService(later, "SESV2").length),
    },
    queuedMessages: typical(({ own }) => ofService(own, "SQS").length),
  };
}

/** Send one request, from the moment the stack is idle until it is idle again. */
async function sample(
  request: BenchRequest,
  { expectedStatus }: Operation,
  { publicUrl }: BenchStack,
  recording: Recording,
): Promise<Sample> {
  await untilQuiet(recording);
  recording.calls.length = 0;
  const { cause, milliseconds } = await call(publicUrl, request, expectedStatus);
  const answeredAt = performance.now();
  recording.delayMilliseconds = 0;
  await untilQuiet(recording);
  const own = recording.calls.filter(
    (recorded) => recorded.cause === cause && recorded.startedAt < answeredAt,
  );
  const later = recording.calls.filter((recorded) => recorded.cause === undefined);
  return { milliseconds, own, later };
}
