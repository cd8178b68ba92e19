import { deleteBots } from "#shared/conversations/bots/delete-bots.ts";
import { isChannel } from "#shared/conversations/conversation.ts";
import { orderDepartureJobs } from "#shared/conversations/conversation-job.ts";
import { conversationMemberLeave, leaveData } from "#shared/conversations/events/members.ts";
import { type ChangeCommand, changeConversation } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";

/**
 * Leave a conversation, or remove another member. A bot that is removed is deleted.
 *
 * @param command.userId undefined for a user of another domain
 * @returns the event; undefined when the user is not a member, and for a member removed from a channel
 * @throws ApiError those of `changeConversation`
 * @see operation `remove-member` and its older form
 */
export function removeMember(
  deps: Deps,
  { userId, ...command }: ChangeCommand & { readonly userId: string | undefined },
) {
  const { conversationId, actor } = command;
  const isLeaving = userId === actor.userId;
  return changeConversation(
    deps,
    command,
    {
      action: isLeaving ? "leave_conversation" : "remove_conversation_member",
      event: conversationMemberLeave,
    },
    async ({ conversation, members }) => {
      const member = members.find((one) => one.userId === userId);
      if (userId === undefined || member === undefined) return undefined;
      const deletion = await deleteBots(deps, conversation, [member]);
      return {
        leaving: [{ conversationId, userId }],
        data: leaveData([userId], isLeaving ? "left" : "removed", deps.settings),
        writes: deletion.writes,
        messagesAfter: (changed) => [
          ...orderDepartureJobs(deps.outbox, changed, { members, leaving: [userId] }),
          ...deletion.messages,
        ],
        isUnanswered: isChannel(conversation) && !isLeaving,
      };
    },
  );
}
