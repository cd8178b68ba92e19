import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { hasUnknownOutcome, transact, type Write } from "./conditions.ts";

interface WriteSet {
  readonly writes: readonly Write[];
  readonly done: PromiseWithResolvers<void>;
}

/** Maximum number of writes in one transaction of DynamoDB. */
const maxWrites = 100;

const gathered = new WeakMap<DynamoDBDocumentClient, WriteSet[]>();

/**
 * Commits as `transact` does, but calls of the same turn of the event loop share a transaction. For unrelated sets of
 * writes that rarely conflict. If a shared transaction is refused, each set gets one of its own, and its own error; if it
 * may have been committed, all get its error.
 */
export function transactTogether(dynamo: DynamoDBDocumentClient, writes: readonly Write[]): Promise<void> {
  const set: WriteSet = { writes, done: Promise.withResolvers() };
  const sets = gathered.get(dynamo);
  if (sets === undefined) {
    gathered.set(dynamo, [set]);
    setImmediate(() => commitGathered(dynamo));
  } else sets.push(set);
  return set.done.promise;
}

function commitGathered(dynamo: DynamoDBDocumentClient): void {
  const sets = gathered.get(dynamo) ?? [];
  gathered.delete(dynamo);
  for (const shared of toTransactions(sets)) void commitShared(dynamo, shared);
}

async function commitShared(dynamo: DynamoDBDocumentClient, sets: readonly WriteSet[]): Promise<void> {
  const commitEach = () => {
    for (const { writes, done } of sets) transact(dynamo, writes).then(done.resolve, done.reject);
  };
  if (sets.length === 1) return commitEach();
  try {
    await transact(
      dynamo,
      sets.flatMap(({ writes }) => writes),
    );
    for (const { done } of sets) done.resolve();
  } catch (error) {
    if (!hasUnknownOutcome(error)) return commitEach();
    for (const { done } of sets) done.reject(error);
  }
}

function toTransactions(sets: readonly WriteSet[]): WriteSet[][] {
  const transactions: WriteSet[][] = [];
  let size = maxWrites;
  for (const set of sets) {
    size += set.writes.length;
    if (size > maxWrites) {
      transactions.push([]);
      size = set.writes.length;
    }
    transactions.at(-1)?.push(set);
  }
  return transactions;
}
