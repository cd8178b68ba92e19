import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  ConditionalCheckFailedException,
  type DynamoDBServiceException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { ConflictError, ThrottledError } from "./store-errors.ts";

/** An item changed between the read and the write that depends on it: read again and decide again. */
export class StaleReadError extends ConflictError {
  override readonly name: string = "StaleReadError";
  /** The item that a transaction found instead of the one that had been read. */
  refusal?: { readonly existing: Record<string, unknown> | undefined } | undefined;
}

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
type Operation = NonNullable<
  TransactItem["Put"] | TransactItem["Update"] | TransactItem["Delete"] | TransactItem["ConditionCheck"]
>;

/** One write of a transaction, and the error when its condition does not hold; by default `StaleReadError`. */
export interface Write {
  readonly item: TransactItem;
  /** @param existing the stored item that broke the condition, when there is one */
  readonly onRejected?: (existing: Record<string, unknown> | undefined) => Error | undefined;
}

export interface TransactOptions {
  /**
   * False where many callers change the same item at once and repeat the whole step, because after a conflict the read
   * is stale. By default, only the transaction is repeated; it always is if it may have taken effect.
   */
  readonly isRetriedOnConflict?: boolean;
}

export interface RetryOptions {
  /** When this request began to compete with others, by `performance.now()`; absent: now. */
  readonly since?: number;
}

/** Attempts at one transaction that conflicts with others on its items, or is throttled. */
const maxTransactions = 5;
/**
 * If the SDK gives up with an unknown outcome within this time, the transaction is repeated: longer than the pauses
 * while throttled, shorter than three time-outs, after which there is no time for three more.
 */
const repeatableMilliseconds = 4000;
const throttlingReasons = new Set(["ThrottlingError", "ProvisionedThroughputExceeded"]);
/**
 * How long a read-decide-write step with a stale read is repeated. A request has 15 s, and a hundred requests that
 * change one item at the same moment take several seconds.
 */
const staleMilliseconds = 10_000;
/** The same while the refusing items stay unchanged: then nobody competes, and repeating does not help. */
const hopelessMilliseconds = 2000;
/** Up to 1280 ms between its attempts: with many competitors, most attempts in quick succession fail. */
const longestStaleExponent = 7;

/**
 * Commit all writes or none. When a condition fails, throws the error that its write names, or else a
 * `StaleReadError`. A conflict with another transaction is retried with jitter, and so is throttling, which the SDK
 * treats as final. When the SDK has given up and the outcome is unknown, all is tried once more.
 *
 * @throws ConflictError when every attempt meets a conflict
 * @throws ThrottledError when the last attempt was throttled
 */
export async function transact(
  dynamo: DynamoDBDocumentClient,
  writes: readonly Write[],
  { isRetriedOnConflict = true }: TransactOptions = {},
): Promise<void> {
  const startedAt = performance.now();
  let isUnknown = false;
  const command = new TransactWriteCommand({
    TransactItems: writes.map(({ item }) => returningOld(item)),
    // The same token for all attempts: an earlier one with a lost answer may have taken effect, and would make later
    // ones fail.
    ClientRequestToken: randomUUID(),
  });
  for (let attempt = 1; ; attempt++) {
    try {
      await dynamo.send(command);
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) {
        if (isUnknown || !hasUnknownOutcome(error) || performance.now() - startedAt > repeatableMilliseconds)
          throw error;
        isUnknown = true;
        continue;
      }
      const reasons = error.CancellationReasons ?? [];
      const rejected = reasons.findIndex(({ Code }) => Code === "ConditionalCheckFailed");
      if (rejected >= 0) {
        const old = reasons[rejected]?.Item;
        const { item, onRejected } = writes[rejected] as Write;
        const existing = old && unmarshall(old);
        const rejection = onRejected?.(existing) ?? new StaleReadError(tableOf(item), { cause: error });
        if (rejection instanceof StaleReadError) rejection.refusal = { existing };
        throw rejection;
      }
      const isThrottled = reasons.some(({ Code }) => throttlingReasons.has(Code ?? ""));
      const isConflict = reasons.some(({ Code }) => Code === "TransactionConflict");
      if (!isConflict && !isThrottled) throw error;
      if (isThrottled && attempt === maxTransactions)
        throw new ThrottledError("transaction", { cause: error });
      const isRetried = isRetriedOnConflict || isUnknown || isRepeatedBySdk(error);
      if (!isThrottled && (!isRetried || attempt === maxTransactions)) {
        throw new ConflictError("transaction", { cause: error });
      }
      // An overloaded partition takes longer to recover than a conflict to pass.
      await jitter(isThrottled ? attempt + 3 : attempt);
    }
  }
}

/** Whether the error is from a repeated attempt. */
const isRepeatedBySdk = (error: unknown): boolean =>
  ((error as Partial<DynamoDBServiceException>).$metadata?.attempts ?? 1) > 1;

/** Whether a failed call may have taken effect in one of the attempts of the SDK. */
export const hasUnknownOutcome = (error: unknown): boolean =>
  !(error instanceof TransactionCanceledException) && isRepeatedBySdk(error);

/**
 * Repeat a read-decide-write step while its read turns out stale or its write conflicts with others: a conflict also
 * means that the data have changed. Use `change`, which builds on this, to change several items.
 *
 * @throws ConflictError when others are faster every time for ten seconds, or when for two seconds the item that
 * refuses the write has not changed
 */
export async function retryStale<Result>(
  step: (attempt: number) => Promise<Result>,
  { since = performance.now() }: RetryOptions = {},
): Promise<Result> {
  let refusal: StaleReadError["refusal"];
  let unchangedSince = since;
  for (let attempt = 1; ; attempt++) {
    try {
      return await step(attempt);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const now = performance.now();
      const latest = error instanceof StaleReadError ? error.refusal : undefined;
      const isSame = latest !== undefined && isDeepStrictEqual(latest, refusal);
      if (!isSame) unchangedSince = now;
      refusal = latest;
      if (now - since >= staleMilliseconds || now - unchangedSince >= hopelessMilliseconds) throw error;
      await jitter(attempt, longestStaleExponent);
    }
  }
}

/** Returns the result, or what `onFailed` makes of the existing item when the condition did not hold. */
export async function onConditionFailed<Result, Fallback>(
  sending: Promise<Result>,
  onFailed: (existing: Record<string, unknown> | undefined) => Fallback,
): Promise<Result | Fallback> {
  try {
    return await sending;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return onFailed(error.Item && unmarshall(error.Item));
  }
}

/** Whether the condition of a write was met. */
export const succeeds = (sending: Promise<unknown>): Promise<boolean> =>
  onConditionFailed(
    sending.then(() => true),
    () => false,
  );

/** Wait with full jitter: up to 10 ms, 20 ms, 40 ms … 320 ms. */
export const jitter = (attempt: number, longestExponent = 5) =>
  delay(Math.random() * 10 * 2 ** Math.min(attempt - 1, longestExponent));

const tableOf = (item: TransactItem) => operationOf(item)[1].TableName;

const operationOf = (item: TransactItem) => Object.entries(item)[0] as [string, Operation];

function returningOld(item: TransactItem): TransactItem {
  const [kind, operation] = operationOf(item);
  return { [kind]: { ...operation, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } } as TransactItem;
}

/** Items that do not fit into a transaction. They are stored before it, where nobody finds them before the commit. */
export interface Parts {
  readonly store: (dynamo: DynamoDBDocumentClient) => Promise<void>;
  /** Undoes it if nothing has been committed. Items left by a dead function must be harmless. */
  readonly discard: (dynamo: DynamoDBDocumentClient) => Promise<void>;
}
