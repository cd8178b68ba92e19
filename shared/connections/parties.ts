import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Account } from "#shared/accounts/account.ts";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import type { ConversationStore, PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { mlsOneToOneConversationId, oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { ConnectionPair } from "./connection.ts";
import type { ConnectionStore } from "./connection-store.ts";
import type { MlsConversation } from "./mls-conversation.ts";

interface ReadDeps {
  readonly accounts: AccountStore;
  readonly connections: ConnectionStore;
  readonly conversations: ConversationStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly settings: Settings;
}

/** What a change of the connection of two users depends on; `own` is the acting user's account. */
export interface Parties {
  /** Undefined where there is no connection yet. */
  readonly pair: ConnectionPair | undefined;
  readonly own: Account | undefined;
  readonly peer: Account | undefined;
  /** The conversation of the two users. Connections that are older than conversations may have none. */
  readonly found: PopulatedConversation | undefined;
  readonly mls: MlsConversation;
}

/**
 * Read both sides, both accounts, and the conversations, in one round trip.
 * @throws StaleReadError when the read overlapped with a change
 */
export async function readParties(
  { accounts, connections, conversations, dynamo, settings }: ReadDeps,
  userId: string,
  peerId: string,
): Promise<Parties> {
  const conversationId = oneToOneConversationId(userId, peerId);
  const mlsId = mlsOneToOneConversationId(userId, peerId, settings.domain);
  const users = [userId, peerId];
  const items = await batchRead(dynamo, [
    { tableName: connections.tableName, keys: connections.pairKeys(userId, peerId) },
    { tableName: accounts.tableName, keys: accounts.accountKeys(users) },
    {
      tableName: conversations.tableName,
      keys: [conversationId, mlsId].flatMap((id) => conversations.populatedKeys(id, users)),
    },
  ]);
  return {
    pair: connections.pairOf(userId, peerId, items),
    own: accounts.accountOf(userId, items),
    peer: accounts.accountOf(peerId, items),
    found: conversations.populatedOf(conversationId, users, items),
    mls: { conversationId: mlsId, found: conversations.populatedOf(mlsId, users, items) },
  };
}
