import type { Account } from "#shared/accounts/account.ts";
import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { mlsOneToOneConversationId, oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import type { ConnectionPair } from "./connection.ts";
import type { MlsConversation } from "./mls-conversation.ts";

type ReadDeps = Pick<ConversationDeps, "accounts" | "connections" | "conversations" | "settings">;

/** The data on which a change of a connection depends; `own` is the acting user's account. */
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
  { accounts, connections, conversations, settings }: ReadDeps,
  userId: string,
  peerId: string,
): Promise<Parties> {
  const conversationId = oneToOneConversationId(userId, peerId);
  const mlsId = mlsOneToOneConversationId(userId, peerId, settings.domain);
  const users = [userId, peerId];
  const [pair, own, peer, found, mls] = await Promise.all([
    connections.getPair(userId, peerId),
    accounts.get(userId),
    accounts.get(peerId),
    conversations.getPopulatedBy(conversationId, users),
    conversations.getPopulatedBy(mlsId, users),
  ]);
  return { pair, own, peer, found, mls: { conversationId: mlsId, found: mls } };
}
