import { randomInt } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type AwsCall, awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";

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

/** Whether a function can only have failed because a fault met it, or what it called. */
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

const writes = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"];

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

const chance = (share: number) => Math.random() < share;

/**
 * Faults of DynamoDB that also meet the repetitions of a call: one in eight answers to writes gets lost, one in ten calls
 * fails, and some transactions conflict.
 */
export function chooseStoreFault({ service, action }: AwsCall): Fault | undefined {
  if (service !== "dynamodb") return undefined;
  if (writes.includes(action) && chance(0.12)) return "answer-lost";
  if (action === "TransactWriteItems" && chance(0.05)) return "conflicts";
  if (!chance(0.1)) return undefined;
  // A call that times out takes seconds.
  if (chance(0.02)) return "timed-out";
  return chance(0.8) ? "failed" : "throttled";
}

/**
 * Faults in the delivery of events: one in ten DynamoDB calls fails. Functions die before and after each step of a
 * delivery, publishers before they send, and neither finishes what it began. Some handled messages stay in the queue.
 */
export function chooseEventFault({
  service,
  action,
  body,
  isFirstAttempt,
  isLastAttempt,
}: AwsCall): Fault | undefined {
  const isOutbox = body.includes("-outbox");
  const storesParts = action === "BatchWriteItem" && isOutbox && !body.includes("DeleteRequest");
  if (service === "sqs" && action === "SendMessage" && chance(0.6)) return "dies-before";
  // Hand-over to the recipients' shards.
  if (service === "sqs" && action === "SendMessageBatch" && chance(0.1)) {
    return (["failed", "answer-lost", "dies-before", "dies-after"] as const)[randomInt(4)];
  }
  if (service === "sqs" && action === "DeleteMessageBatch" && chance(0.05)) return "ignored";
  // A post that fails twice closes the socket.
  if (service === "sockets" && action === "POST" && !isLastAttempt && chance(0.05)) {
    return chance(0.5) ? "failed" : "answer-lost";
  }
  if (service !== "dynamodb") return undefined;
  // Between storing and posting.
  if (body.includes("-sockets") && chance(0.01)) return chance(0.5) ? "dies-before" : "dies-after";
  if (isOutbox && action === "BatchWriteItem" && !storesParts && chance(0.02)) return "dies-before";
  // Between entries that are appended together.
  if (body.includes("-notifications") && chance(0.01)) return chance(0.5) ? "dies-before" : "dies-after";
  // This call records a failure.
  if (isOutbox && action === "UpdateItem" && chance(0.5)) return "dies-before";
  // A publisher that cannot commit has published nothing, which a test that retries would not notice.
  if ((action === "TransactWriteItems" || storesParts) && isLastAttempt) return undefined;
  if (isOutbox && action === "PutItem" && isLastAttempt && !isFirstAttempt) return undefined;
  if (!chance(0.1)) return undefined;
  // Throttling is rarer than the other faults, because the SDK waits longest after it.
  return (["failed", "failed", "answer-lost", "answer-lost", "throttled"] as const)[randomInt(5)];
}

/** Run a task while the first wanted call that something makes waits for it. @returns what that something returns */
export async function whileCallWaits<Result>(
  isWanted: (call: AwsCall) => boolean,
  waiting: () => Promise<Result>,
  task: () => Promise<unknown>,
): Promise<Result> {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const end = interceptAwsCalls(async (call, send) => {
    if (!isWanted(call)) return send();
    end();
    reached.resolve();
    await released.promise;
    return send();
  });
  const result = waiting();
  await Promise.race([reached.promise, result.then(() => reached.reject(new Error("Nothing waits")))]);
  await task().finally(released.resolve);
  return result;
}
