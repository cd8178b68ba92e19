import type { Emulators } from "#lib/local/emulators.ts";
import { startStack } from "#lib/local/stack.ts";
import type { SettingsInput } from "#shared/settings.ts";
import { type BenchRequest, type BenchStack, call } from "./api-client.ts";
import { type Operation, operations } from "./operations.ts";
import { type AwsCall, type Recording, startProxies, sumOf, untilQuiet } from "./recording-proxy.ts";
import { median } from "./table.ts";
import { traceCauses } from "./trace-causes.ts";

/** What a typical request of an operation causes: the median of a few. */
export interface CallCounts {
  readonly dynamodbCalls: number;
  /** Calls that the answer waits for one after another. */
  readonly dynamodbCallsInSeries: number;
  readonly otherCalls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** By queues and timers, once the answer is out. */
  readonly later: { readonly readUnits: number; readonly writeUnits: number; readonly emails: number };
  readonly queuedMessages: number;
}

interface Sample {
  readonly milliseconds: number;
  readonly own: readonly AwsCall[];
  readonly later: readonly AwsCall[];
}

/** Production settings; limits are in force, but wide, and back at full width when a while has passed. */
const settings: SettingsInput = {
  setPasswordHashingRateLimit: {
    perIp: { burst: 100, refillSeconds: 1 },
    perUser: { burst: 100, refillSeconds: 1 },
  },
  setCodeDeliveryRateLimit: { burst: 100, refillSeconds: 1 },
  setCodeDeliveryRateLimitPerIp: { burst: 100, refillSeconds: 1 },
  outboxResendSeconds: 3600,
};

const samplesOfOthers = 3;
/** More, because the time of a hash varies. */
const samplesOfHashing = 5;
const secondsBetweenSamples = 2;
const secondsAfterPreparation = 30;
/** Well above the noise of a measurement. With a hash that is more; yet it must about fit beside one. */
const delays = { hashing: 100, others: 40 };

/**
 * Count the AWS calls of every operation, by a stack whose calls all pass a recording proxy.
 * Calls in series are counted by what they cost: the proxy delays every DynamoDB call by the same time, and the answer
 * comes later by that time for each call that it waits for. A call beside another one, or beside the password hash,
 * does not show. The fastest of the samples are compared.
 */
export async function countCalls(emulators: Emulators): Promise<Map<string, CallCounts>> {
  traceCauses();
  const recording: Recording = { calls: [], pending: 0, delayMilliseconds: 0 };
  const proxies = await startProxies(emulators.environment, recording);
  const { environment } = proxies;
  Object.assign(process.env, environment);
  let offset = 0;
  const started = await startStack({
    settings,
    prefix: "count",
    emulators: { environment, folder: emulators.folder },
    clock: () => Date.now() + offset,
  });
  const advance = (seconds: number) => {
    offset += seconds * 1000;
  };
  try {
    const counts = new Map<string, CallCounts>();
    const stack = { publicUrl: started.publicUrl, internalUrl: started.internalUrl, advance };
    for (const operation of operations) counts.set(operation.name, await count(operation, stack, recording));
    return counts;
  } finally {
    await started.stop();
    await proxies.stop();
  }
}

async function count(operation: Operation, stack: BenchStack, recording: Recording): Promise<CallCounts> {
  recording.delayMilliseconds = 0;
  const pairs = operation.hashesPassword ? samplesOfHashing : samplesOfOthers;
  const delayMilliseconds = operation.hashesPassword ? delays.hashing : delays.others;
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

/** One request from quiet to quiet. */
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
