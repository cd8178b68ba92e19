import { setTimeout as delay } from "node:timers/promises";
import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { ApiError } from "../errors.ts";

/** An item changed between the read and the write that rests on it: read again and decide anew. */
export class StaleReadError extends Error {
  override readonly name = "StaleReadError";
}

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
type Operation = NonNullable<
  TransactItem["Put"] | TransactItem["Update"] | TransactItem["Delete"] | TransactItem["ConditionCheck"]
>;

/** One write of a transaction, and what it means when its condition does not hold. */
export interface Write {
  readonly item: TransactItem;
  /** @param existing the stored item that broke the condition, when there is one */
  readonly onRejected?: (existing: Record<string, unknown> | undefined) => Error;
}

/** Of one transaction against others on its items, and of a step whose read turns out stale. */
const maxConflicts = 5;
const maxStaleReads = 16;

/**
 * All or nothing. A cancellation by a condition throws what that write says; one by a conflict with another
 * transaction is tried again with jitter.
 *
 * @throws ApiError `concurrent-change` when the conflict does not end
 */
export async function transact(client: DynamoDBDocumentClient, writes: readonly Write[]): Promise<void> {
  const command = new TransactWriteCommand({ TransactItems: writes.map(({ item }) => returningOld(item)) });
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send(command);
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const rejected = reasons.findIndex(({ Code }) => Code === "ConditionalCheckFailed");
      if (rejected >= 0) {
        const old = reasons[rejected]?.Item;
        throw writes[rejected]?.onRejected?.(old && unmarshall(old)) ?? error;
      }
      const isConflict = reasons.some(
        ({ Code }) => Code === "TransactionConflict" || Code === "ThrottlingError",
      );
      if (!isConflict) throw error;
      if (attempt === maxConflicts) throw new ApiError("concurrent-change", { cause: error });
      await jitter(attempt);
    }
  }
}

/**
 * Repeat a read-decide-write step while its read turns out stale, or others keep its write from happening: then, too,
 * there is something new to read.
 *
 * @throws ApiError `concurrent-change`
 */
export async function retryStale<Result>(step: (attempt: number) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step(attempt);
    } catch (error) {
      const isConflict = error instanceof ApiError && error.error === "concurrent-change";
      if (!(error instanceof StaleReadError) && !isConflict) throw error;
      if (attempt === maxStaleReads) throw new ApiError("concurrent-change", { cause: error });
      await jitter(attempt);
    }
  }
}

/** The result, or what `onFailed` makes of the existing item when the condition did not hold. */
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

/** Condition that an item is still at the revision that was read; 0 stands for one that was not there. */
export const isAtRevision = (revision: number) =>
  revision === 0
    ? { ConditionExpression: "attribute_not_exists(revision)" }
    : {
        ConditionExpression: "revision = :revision",
        ExpressionAttributeValues: { ":revision": revision },
      };

/** Wait with full jitter: up to 10 ms, 20 ms, 40 ms … 320 ms. */
export const jitter = (attempt: number) => delay(Math.random() * 10 * 2 ** Math.min(attempt - 1, 5));

function returningOld(item: TransactItem): TransactItem {
  const [kind, operation] = Object.entries(item)[0] as [string, Operation];
  return { [kind]: { ...operation, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } } as TransactItem;
}
