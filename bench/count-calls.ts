import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { type LocalStack, type LocalStackOptions, startStack } from "#lib/local/stack.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { type BenchRequest, type BenchStack, call } from "./api-client.ts";
import { type Operation, operationsBySettings } from "./operations.ts";
import {
  type AwsCall,
  callsInSeries,
  type Recording,
  startProxies,
  sumOf,
  untilQuiet,
} from "./recording-proxy.ts";
import { median } from "./table.ts";
import { traceCauses } from "./trace-causes.ts";

/** Calls and units that a typical request of an operation causes: medians of a few samples. */
export interface CallCounts {
  readonly dynamodbCalls: number;
  /** Calls of DynamoDB before the response, one after another. */
  readonly dynamodbCallsInSeries: number;
  readonly otherCalls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Caused by queues and timers, after the response. */
  readonly later: { readonly readUnits: number; readonly writeUnits: number; readonly emails: number };
  readonly queuedMessages: number;
}

interface Sample {
  readonly own: readonly AwsCall[];
  readonly inSeries: number;
  readonly later: readonly AwsCall[];
}

/** Production settings, except for limits: these are enforced, but generous, and are reset after a short while. */
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
  // Numbers of use are sampled at random (ADR 145), and the figures should be the same in each run.
  statistics: { sampleOneIn: 1000, exactPerMinute: 0 },
};

const samples = 2;
const secondsBetweenSamples = 2;
const secondsAfterPreparation = 30;
interface CountOptions {
  /** Prefix of the names of its resources. */
  readonly prefix?: string;
  /** Whether the calls of an operation are counted; by default, those of all are. */
  readonly isWanted?: (operation: Operation) => boolean;
}

/** Longer than concurrent calls take to start: a large request makes a hundred. */
const delays = { large: 500, others: 100 };

/**
 * Count the AWS calls of every operation, with stacks whose calls all pass a recording proxy, which delays the answers of
 * DynamoDB so that calls overlap unless one waits for the other. The time that a request takes does not count, so the
 * figures are the same on a busy machine.
 */
export async function countCalls(
  emulators: Emulators,
  { prefix = "count", isWanted = () => true }: CountOptions = {},
): Promise<Map<string, CallCounts>> {
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
        prefix: `${prefix}-${index}`,
        emulators: { environment, folder: emulators.folder },
      });
      try {
        for (const operation of operations.filter(isWanted))
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
  const [warmUp, ...requests] = await operation.prepare(stack, 1 + samples);
  stack.advance(secondsAfterPreparation);
  const take = (request: BenchRequest | undefined): Promise<Sample> => {
    if (request === undefined) throw new Error(`${operation.name} prepared too few requests`);
    stack.advance(secondsBetweenSamples);
    return sample(request, operation, stack, recording);
  };
  await take(warmUp);
  const taken: Sample[] = [];
  for (const request of requests.slice(0, samples)) taken.push(await take(request));
  const typical = (figure: (sample: Sample) => number) => median(taken.map(figure));
  const ofService = (calls: readonly AwsCall[], name: string) =>
    calls.filter(({ service }) => service === name);
  return {
    dynamodbCalls: typical(({ own }) => ofService(own, "DYNAMODB").length),
    // A process that was suspended for a while may have made its calls late.
    dynamodbCallsInSeries: Math.min(...taken.map(({ inSeries }) => inSeries)),
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
  { expectedStatus, isLarge }: Operation,
  { publicUrl }: BenchStack,
  recording: Recording,
): Promise<Sample> {
  await untilQuiet(recording);
  recording.calls.length = 0;
  recording.delayMilliseconds = isLarge ? delays.large : delays.others;
  const { cause } = await call(publicUrl, request, expectedStatus);
  const answeredAt = performance.now();
  recording.delayMilliseconds = 0;
  await untilQuiet(recording);
  const own = recording.calls.filter(
    (recorded) => recorded.cause === cause && recorded.startedAt < answeredAt,
  );
  const awaited = own.filter(({ service, endedAt }) => service === "DYNAMODB" && endedAt < answeredAt);
  const later = recording.calls.filter((recorded) => recorded.cause === undefined);
  return { own, inSeries: callsInSeries(awaited), later };
}
