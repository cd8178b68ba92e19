import type { Conversation } from "#shared/conversations/conversation.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/**
 * Read a conversation as one of its members.
 * @throws ApiError `no-conversation`, `access-denied` for users who are not members
 */
export async function readAsMember(
  { conversations, dynamo }: Pick<Deps, "conversations" | "dynamo">,
  { userId, conversationId }: { userId: string; conversationId: string },
): Promise<{ conversation: Conversation; self: ConversationMember }> {
  const membership = { conversationId, userId };
  const keys = [
    ...conversations.conversationKeys([conversationId]),
    ...conversations.memberKeys([membership]),
  ];
  const items = await batchRead(dynamo, [{ tableName: conversations.tableName, keys }]);
  const conversation = conversations.conversationOf(conversationId, items);
  if (conversation === undefined) throw new ApiError("no-conversation");
  const self = conversations.memberOf(membership, items);
  if (self === undefined) throw new ApiError("access-denied");
  return { conversation, self };
}
