import type { Conversation } from "#shared/conversations/conversation.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import type { Membership } from "#shared/conversations/conversation-store.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

type ReadDeps = Pick<Deps, "conversations">;

/** Read a conversation and a user's membership in it, as far as they exist. */
export async function readMembership(
  { conversations }: ReadDeps,
  membership: Membership,
): Promise<{ conversation: Conversation; self: ConversationMember | undefined } | undefined> {
  const [conversation, self] = await Promise.all([
    conversations.get(membership.conversationId),
    conversations.getMember(membership),
  ]);
  return conversation && { conversation, self };
}

/**
 * Read a conversation as one of its members.
 * @throws ApiError `no-conversation`, `access-denied` for users who are not members
 */
export async function readAsMember(
  deps: ReadDeps,
  membership: Membership,
): Promise<{ conversation: Conversation; self: ConversationMember }> {
  const found = await readMembership(deps, membership);
  if (found === undefined) throw new ApiError("no-conversation");
  const { conversation, self } = found;
  if (self === undefined) throw new ApiError("access-denied");
  return { conversation, self };
}
