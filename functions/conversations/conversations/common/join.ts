import { announce } from "#shared/conversations/announce.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/conversation-member-join.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { checkSize } from "./check-size.ts";

/**
 * Build the change by which a user joins a conversation that is open to them, with the role that may only leave. Rejected
 * as `AccountNotFoundError`. Its result is the event; undefined for a user who is a member, whom nothing changes.
 *
 * @param conditions of the transaction
 * @throws ApiError `invalid-op`, `too-many-members`
 */
export function joinChange(
  deps: Deps,
  { conversation, members }: PopulatedConversation,
  { actor, conditions = [] }: { readonly actor: Actor; readonly conditions?: readonly Write[] },
) {
  const { accounts, conversations, settings } = deps;
  const { conversationId } = conversation;
  const { userId } = actor;
  if (conversation.type !== "regular") throw new ApiError("invalid-op");
  if (members.some((member) => member.userId === userId)) return { result: undefined };
  checkSize(conversation, 1, settings);

  const joining: ConversationMember = { conversationId, userId, role: "member" };
  const { next, writes } = conversations.change(conversation, { joining: [joining] });
  const { event, messages } = announce(deps, conversationMemberJoin, {
    conversation: next,
    actor,
    recipients: [...members, joining].map((member) => member.userId),
    data: joinData([joining], settings),
  });
  return {
    writes: [...writes, ...conditions, accounts.requireNotDeleted(userId)],
    messages,
    result: event,
  };
}
