import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { auditWrites } from "../audit/audited.ts";
import {
  type Parts,
  type RetryOptions,
  retryStale,
  type TransactOptions,
  transact,
  type Write,
} from "../data/conditions.ts";
import { ConflictError } from "../data/store-errors.ts";
import { mayCommit } from "./commit-guard.ts";
import { type OutboxMessage, sendAll } from "./outbox.ts";

/** The decision of a use case. */
export interface Change {
  /** Stored before the writes are committed. */
  readonly parts?: readonly Parts[];
  readonly writes: readonly Write[];
  /** Enqueued with the writes, in one transaction. */
  readonly messages: readonly OutboxMessage[];
  /** Runs after the commit, concurrently with the sends; it is not repeated when it fails. */
  readonly afterCommit?: () => Promise<unknown>;
}

/** Joins decisions into one, in their order; undefined ones are ignored. Their `afterCommit` run concurrently. */
export function combine(...changes: readonly (Partial<Change> | undefined)[]): Change {
  const made = changes.filter((one) => one !== undefined);
  const parts = made.flatMap((one) => one.parts ?? []);
  const tasks = made.flatMap(({ afterCommit }) => afterCommit ?? []);
  return {
    writes: made.flatMap(({ writes }) => writes ?? []),
    messages: made.flatMap(({ messages }) => messages ?? []),
    ...(parts.length > 0 && { parts }),
    ...(tasks.length > 0 && { afterCommit: () => Promise.all(tasks.map((task) => task())) }),
  };
}

interface Options extends TransactOptions, RetryOptions {
  /** False for a preparation of another change, which is refused or recorded instead. */
  readonly isGuarded?: boolean;
}

/**
 * Read, decide, write: `decide` reads and returns what to write; its writes and messages are committed in one
 * transaction, then the messages are sent. A decision without writes and messages changes nothing.
 *
 * When the read turns out stale or other transactions conflict, all of `decide` runs again; only the first attempt (1)
 * may use data that were read before. Any other error of `decide` or of the transaction is final, and nothing has been
 * written. Messages are sent once, after the commit; a send that fails is left to the sweeper. Whether the caller may
 * make changes (`mayCommit`) is checked while `decide` reads; otherwise the commit is refused.
 *
 * @returns the `result` of the decision that was committed
 * @throws ConflictError when others are faster every time; also the errors of `decide` and of rejected writes
 */
export async function change<Result>(
  deps: { readonly dynamo: DynamoDBDocumentClient },
  decide: (attempt: number) => Promise<Partial<Change> & { readonly result: Result }>,
  options?: Options,
): Promise<Result>;
export async function change(
  deps: { readonly dynamo: DynamoDBDocumentClient },
  decide: (attempt: number) => Promise<Partial<Change> | undefined>,
  options?: Options,
): Promise<void>;
export async function change<Result>(
  { dynamo }: { readonly dynamo: DynamoDBDocumentClient },
  decide: (attempt: number) => Promise<(Partial<Change> & { readonly result?: Result }) | undefined>,
  options: Options = {},
): Promise<Result | undefined> {
  const { unsent, afterCommit, result } = await retryStale(async (attempt) => {
    const permission = options.isGuarded === false ? undefined : mayCommit();
    const { parts, writes = [], messages = [], ...rest } = (await decide(attempt)) ?? {};
    if (writes.length + messages.length > 0) await permission;
    const unsent = await commit(dynamo, { parts, writes, messages }, options);
    return { unsent, ...rest };
  }, options);
  await Promise.all([sendAll(unsent), afterCommit?.()]);
  return result;
}

/**
 * Commit writes and messages, all or none, with the record of the audit trail, if any. Parts that do not fit into a
 * transaction are stored first, where nobody finds them before the commit.
 *
 * @returns the messages that are now to be sent, except one that its queue has taken instead of the outbox
 */
export async function commit(
  dynamo: DynamoDBDocumentClient,
  {
    parts: ofWrites = [],
    writes = [],
    messages = [],
  }: Partial<Pick<Change, "parts" | "writes" | "messages">>,
  { isGuarded = true, ...options }: TransactOptions & Pick<Options, "isGuarded"> = {},
): Promise<readonly OutboxMessage[]> {
  const [first, ...others] = messages;
  if (first === undefined && writes.length === 0 && ofWrites.length === 0) return [];
  const records = isGuarded ? auditWrites() : [];
  if (first !== undefined && ofWrites.length + writes.length + others.length + records.length === 0)
    return first.commitAlone(dynamo);
  const parts = [...ofWrites, ...messages.flatMap((message) => message.parts ?? [])];
  await Promise.all(parts.map((one) => one.store(dynamo)));
  if (first === undefined && writes.length === 0) return [];
  try {
    await transact(dynamo, [...writes, ...messages.map(({ write }) => write), ...records], options);
  } catch (error) {
    // After other errors, it may still have been committed.
    if (error instanceof ConflictError) await Promise.all(parts.map((one) => one.discard(dynamo)));
    throw error;
  }
  return messages;
}
