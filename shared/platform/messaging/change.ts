import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { retryStale, transact, type Write } from "../data/conditions.ts";
import type { OutboxMessage } from "./outbox.ts";

/** What a use case has decided to do. */
export interface Change {
  readonly writes: readonly Write[];
  /** Enqueued in the transaction of the writes. */
  readonly messages: readonly OutboxMessage[];
  /** Runs after the commit, concurrently with the sends; it is not repeated when it fails. */
  readonly afterCommit?: () => Promise<unknown>;
}

/**
 * Read, decide, write: `decide` reads and says what to write; its writes and messages are committed in one transaction,
 * and then the messages are sent. A decision without writes and messages changes nothing.
 *
 * When the read turns out stale or other transactions conflict, all of `decide` runs again; only the first attempt (1)
 * may use what was read before. Any other error of `decide` or of the transaction is final, and nothing has been
 * written. Messages are sent once, after the commit; a send that fails is left to the sweeper.
 *
 * @returns the `result` of the decision that was committed
 * @throws ConflictError when others are faster every time; also what `decide` throws and what rejected writes throw
 */
export async function change<Result>(
  deps: { readonly dynamo: DynamoDBDocumentClient },
  decide: (attempt: number) => Promise<Partial<Change> & { readonly result: Result }>,
): Promise<Result>;
export async function change(
  deps: { readonly dynamo: DynamoDBDocumentClient },
  decide: (attempt: number) => Promise<Partial<Change> | undefined>,
): Promise<void>;
export async function change<Result>(
  { dynamo }: { readonly dynamo: DynamoDBDocumentClient },
  decide: (attempt: number) => Promise<(Partial<Change> & { readonly result?: Result }) | undefined>,
): Promise<Result | undefined> {
  const { messages, afterCommit, result } = await retryStale(async (attempt) => {
    const { writes = [], messages = [], ...rest } = (await decide(attempt)) ?? {};
    const transaction = [...writes, ...messages.flatMap((message) => message.writes)];
    if (transaction.length > 0) await transact(dynamo, transaction);
    return { messages, ...rest };
  });
  await Promise.all([...messages.map((message) => message.send()), afterCommit?.()]);
  return result;
}
