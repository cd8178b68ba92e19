import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import type { Membership } from "#shared/conversations/conversation-store.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
import type { Deps } from "../deps.ts";

/**
 * Find a user as a member of a conversation: what members of a deleted one have left behind does not count.
 *
 * @see operations `get-conversation-self`, `get-conversation-self-unqualified`, `i-get-conversation-member`
 */
export async function findMember(
  { conversations, dynamo }: Pick<Deps, "conversations" | "dynamo">,
  membership: Membership,
): Promise<ConversationMember | undefined> {
  const { conversationId } = membership;
  const keys = [
    ...conversations.conversationKeys([conversationId]),
    ...conversations.memberKeys([membership]),
  ];
  const items = await batchRead(dynamo, [{ tableName: conversations.tableName, keys }]);
  return conversations.conversationOf(conversationId, items) && conversations.memberOf(membership, items);
}
