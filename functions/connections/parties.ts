import type { Account } from "#shared/data/account/account.ts";
import { batchRead } from "#shared/data/batch-read.ts";
import type { ConnectionPair } from "#shared/data/connection/connection.ts";
import type { Deps } from "./deps.ts";

/** All that decides about two users' connection, `own` being the acting user. */
export interface Parties {
  /** Undefined where there is no connection yet. */
  readonly pair: ConnectionPair | undefined;
  readonly own: Account | undefined;
  readonly peer: Account | undefined;
}

/**
 * Both sides and both accounts in one round trip.
 * @throws StaleReadError when the read fell into the middle of a change
 */
export async function readParties(
  { accounts, client, connections }: Deps,
  userId: string,
  peerId: string,
): Promise<Parties> {
  const items = await batchRead(client, [
    { tableName: connections.tableName, keys: connections.pairKeys(userId, peerId) },
    { tableName: accounts.tableName, keys: accounts.accountKeys([userId, peerId]) },
  ]);
  return {
    pair: connections.pairOf(userId, peerId, items),
    own: accounts.accountOf(userId, items),
    peer: accounts.accountOf(peerId, items),
  };
}
