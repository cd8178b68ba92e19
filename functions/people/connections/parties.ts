import type { Account } from "#shared/accounts/account.ts";
import type { ConnectionPair } from "#shared/connections/connection.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
import type { Deps } from "./deps.ts";

/** Everything that decides about the connection of two users; `own` is the acting user's account. */
export interface Parties {
  /** Undefined where there is no connection yet. */
  readonly pair: ConnectionPair | undefined;
  readonly own: Account | undefined;
  readonly peer: Account | undefined;
}

/**
 * Read both sides and both accounts in one round trip.
 * @throws StaleReadError when the read overlapped with a change
 */
export async function readParties(
  { accounts, connections, dynamo }: Deps,
  userId: string,
  peerId: string,
): Promise<Parties> {
  const items = await batchRead(dynamo, [
    { tableName: connections.tableName, keys: connections.pairKeys(userId, peerId) },
    { tableName: accounts.tableName, keys: accounts.accountKeys([userId, peerId]) },
  ]);
  return {
    pair: connections.pairOf(userId, peerId, items),
    own: accounts.accountOf(userId, items),
    peer: accounts.accountOf(peerId, items),
  };
}
