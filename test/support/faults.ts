/**
 * The harness for faults: calls of AWS that fail, take effect but lose their answer, are answered late or never, or are
 * the last of a process that dies. They happen in this thread, to the functions and workers of a test's own stack.
 *
 * - `injectFaults` decides for each call what happens to it: for a fault at a named place.
 * - `withLostAnswers` loses the first answer to every write of a task.
 * - `startFaults` takes a table of `FaultRow`s, which names calls and the faults that they may meet. In `npm test` each row
 *   happens at given calls, in `npm run test:soak` at random.
 *
 * A file of faults is a table of flows (`fault-flows.ts`), or a scenario that has to bear the faults of a table.
 */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type AwsCall, awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { type Calls, isOneOf, writes } from "./calls.ts";
import { isSoak } from "./soak.ts";

export type { AwsCall };

/**
 * What happens to a call instead:
 * - `denied`: answered as by IAM, without effect
 * - `conflicts`: a transaction that conflicts with others, without effect
 * - `timed-out`: without effect, and without an answer before the SDK's time-out; the SDK retries
 * - `throttled`, `failed`: answered with an error, without effect; the SDK retries
 * - `answer-lost`: takes effect, but fails; the SDK retries
 * - `dies-before`, `dies-after`: as if the process had died before or after the call; the SDK does not retry
 * - `ignored`: answered as if it had taken effect
 * - `refused`: answered as by API Gateway for a client that does not read
 * - `unanswered`: without effect, and without an answer
 * - `late`: takes effect after a second, and is answered then
 */
export type Fault =
  | "denied"
  | "conflicts"
  | "timed-out"
  | "throttled"
  | "failed"
  | "answer-lost"
  | "dies-before"
  | "dies-after"
  | "ignored"
  | "refused"
  | "unanswered"
  | "late";

/** Errors of the SDK that faults cause; no emulator has them by itself. */
const injectedErrors = new Set([
  "InternalServerError",
  "ProvisionedThroughputExceededException",
  "TimeoutError",
]);

/** Whether only a fault in a function, or in what it called, can have caused an error. */
export const isOfFault = (error: unknown): boolean =>
  error instanceof Error &&
  (injectedErrors.has(error.name) ||
    /^The process dies in |^\d+ messages could not be sent$/.test(error.message));

/** Make calls of any SDK client in this thread fail. @returns a function that ends the faults */
export const injectFaults = (choose: (call: AwsCall) => Fault | undefined): (() => void) =>
  interceptAwsCalls(async (call, send) => {
    const fault = choose(call);
    if (fault === undefined) return send();
    if (fault === "answer-lost" || fault === "dies-after") (await send()).response.body.resume();
    switch (fault) {
      case "late":
        await delay(1000, undefined, { ref: false });
        return send();
      case "denied":
        return awsAnswer(400, { __type: "AccessDeniedException" });
      case "conflicts":
        return awsAnswer(400, transactionConflict);
      case "timed-out":
        await delay(2000, undefined, { ref: false });
        throw Object.assign(new Error(`${call.action} got no answer`), { name: "TimeoutError" });
      case "throttled":
        return awsAnswer(400, { __type: "ProvisionedThroughputExceededException" });
      case "failed":
      case "answer-lost":
        return awsAnswer(500, { __type: "InternalServerError" });
      case "ignored":
        return awsAnswer(200, {});
      case "refused":
        return awsAnswer(429, { __type: "LimitExceededException" });
      case "unanswered":
        if (call.abortSignal !== undefined) await once(call.abortSignal, "abort");
        throw new Error("The request was aborted");
      default:
        throw new Error(`The process dies in ${call.action}`);
    }
  });

const transactionConflict = {
  __type: "TransactionCanceledException",
  CancellationReasons: [{ Code: "TransactionConflict" }],
};

/**
 * Run a task during which every write of this thread takes effect, but DynamoDB's first answer to it gets lost.
 * @param repetitions faults of the next attempts at each transaction
 * @throws Error when the task writes nothing
 */
export async function withLostAnswers<Result>(
  task: () => Promise<Result>,
  { repetitions = [] }: { repetitions?: readonly Fault[] } = {},
): Promise<Result> {
  const left = new Map<string, Fault[]>();
  const endFaults = injectFaults(({ service, action, body, isFirstAttempt }) => {
    if (service !== "dynamodb" || !writes.includes(action)) return undefined;
    const content = body.replace(/"ClientRequestToken":"[^"]*"/, "");
    const faults = left.get(content);
    if (faults !== undefined && action === "TransactWriteItems") return faults.shift();
    if (!isFirstAttempt) return undefined;
    left.set(content, [...repetitions]);
    return "answer-lost";
  });
  const result = await task().finally(endFaults);
  if (left.size === 0) throw new Error("No answer got lost");
  return result;
}

/** Calls that may meet a fault. If several rows fit a call, the first one counts. */
export interface FaultRow extends Calls {
  /** Faults that may happen to them, each equally likely; an empty list spares them from the rows below. */
  readonly faults: readonly Fault[];
  /** In the soak: the share of these calls that meets one of the faults; by default all. */
  readonly share?: number;
  /** In `npm test`: the number of these calls from one fault to the next. By default, each fault happens once. */
  readonly every?: number;
}

/** By default, a call between two faults of a row succeeds, so that it does not fail for good. */
const defaultEvery = 2;

/**
 * Let calls meet the faults of a table.
 * @returns a function that ends the faults, and how many there were of each kind
 */
export function startFaults(rows: readonly FaultRow[]) {
  const counts = new Map<Fault, number>();
  const choose = isSoak ? atRandom(rows) : inTurn(rows);
  const end = injectFaults((call) => {
    const fault = choose(call);
    if (fault !== undefined) counts.set(fault, (counts.get(fault) ?? 0) + 1);
    return fault;
  });
  return {
    end,
    counts: (): ReadonlyMap<Fault, number> => counts,
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** Chooses by chance, but each fault of each row at least once, as long as there are enough calls. */
function atRandom(rows: readonly FaultRow[]) {
  const due = new Map(rows.map((row) => [row, { faults: [...row.faults], calls: 0 }]));
  return (call: AwsCall) => {
    for (const row of rows) {
      if (!isOneOf(row, call)) continue;
      const left = due.get(row);
      if (left !== undefined && ++left.calls % callsPerDueFault === 0 && left.faults.length > 0)
        return left.faults.shift();
      if (Math.random() < (row.share ?? 1)) return row.faults[Math.floor(Math.random() * row.faults.length)];
    }
    return undefined;
  };
}

/** Far enough from each other that a call which is repeated twice does not meet two of them. */
const callsPerDueFault = 7;

function inTurn(rows: readonly FaultRow[]) {
  const seen = new Map<FaultRow, number>();
  return (call: AwsCall) => {
    for (const row of rows) {
      if (!isOneOf(row, call)) continue;
      const { faults, every = defaultEvery } = row;
      if (faults.length === 0) return undefined;
      const count = seen.get(row) ?? 0;
      seen.set(row, count + 1);
      const isLeft = row.every !== undefined || count < every * new Set(faults).size;
      if (count % every === 0 && isLeft) return faults[(count / every) % faults.length];
    }
    return undefined;
  };
}

/** Writes that take effect, but whose first answer gets lost, so that the SDK repeats them. */
export const lostAnswers: FaultRow = {
  service: "dynamodb",
  action: writes,
  attempt: "first",
  faults: ["answer-lost"],
  share: 0.3,
  every: 1,
};

/** Faults of DynamoDB that also meet the repetitions of a call. */
export const storeFaults: readonly FaultRow[] = [
  { ...lostAnswers, share: 0.12 },
  {
    service: "dynamodb",
    action: "TransactWriteItems",
    attempt: "repeated",
    faults: ["conflicts", "failed", "throttled"],
    share: 0.15,
    every: 3,
  },
  { service: "dynamodb", action: "TransactWriteItems", faults: ["conflicts"], share: 0.05 },
  // The SDK waits longest after throttling, and a call that times out takes seconds.
  { service: "dynamodb", faults: ["failed"], share: 0.08, every: 7 },
  { service: "dynamodb", faults: ["throttled"], share: 0.02 },
  { service: "dynamodb", faults: ["timed-out"], share: 0.002 },
];

/** Faults of the store of files. */
export const fileFaults: readonly FaultRow[] = [
  { service: "s3", faults: ["failed", "answer-lost"], share: 0.25, every: 3 },
];

/** Faults of everything that a change needs; now and then, nobody hears of a message in the outbox. */
export const outageFaults: readonly FaultRow[] = [
  { service: "sqs", action: "SendMessage", faults: ["dies-before"], share: 0.25, every: 4 },
  { service: "dynamodb", faults: ["late"], share: 0.03 },
  { service: "dynamodb", faults: ["failed", "answer-lost", "throttled"], share: 0.1, every: 11 },
  ...storeFaults,
];

const deaths: readonly Fault[] = ["dies-before", "dies-after"];
const stores = {
  service: "dynamodb",
  action: "BatchWriteItem",
  mentions: "-outbox",
  omits: "DeleteRequest",
} as const;

/**
 * Faults in the delivery of events. Functions die before and after each step of a delivery, publishers before they send, and
 * neither finishes what it began. Some handled messages stay in the queue.
 */
export const eventFaults: readonly FaultRow[] = [
  { service: "sqs", action: "SendMessage", faults: ["dies-before"], share: 0.6, every: 4 },
  // Hand-over to the recipients' shards.
  { service: "sqs", action: "SendMessageBatch", faults: ["failed", "answer-lost", ...deaths], share: 0.1 },
  { service: "sqs", action: "DeleteMessageBatch", faults: ["ignored"], share: 0.05 },
  // A post that fails twice closes the socket.
  { service: "sockets", action: "POST", attempt: "not last", faults: ["failed", "answer-lost"], share: 0.05 },
  // Between storing and posting.
  { service: "dynamodb", mentions: "-sockets", faults: deaths, share: 0.01 },
  {
    service: "dynamodb",
    action: "BatchWriteItem",
    mentions: ["-outbox", "DeleteRequest"],
    faults: ["dies-before"],
    share: 0.02,
  },
  // Between entries that are appended together.
  { service: "dynamodb", mentions: "-notifications", faults: deaths, share: 0.01 },
  // This call records a failure.
  { service: "dynamodb", action: "UpdateItem", mentions: "-outbox", faults: ["dies-before"], share: 0.5 },
  // A publisher that cannot commit has published nothing, which a test that retries would not notice.
  { service: "dynamodb", action: "TransactWriteItems", attempt: "last", faults: [] },
  { ...stores, attempt: "last", faults: [] },
  { service: "dynamodb", action: "PutItem", mentions: "-outbox", attempt: "last", faults: [] },
  { service: "dynamodb", faults: ["failed", "answer-lost"], share: 0.08, every: 9 },
  { service: "dynamodb", faults: ["throttled"], share: 0.02 },
];
