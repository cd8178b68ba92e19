import { currentStatus } from "#shared/accounts/account.ts";
import { announce } from "#shared/conversations/announce.ts";
import type { Conversation } from "#shared/conversations/conversation.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/conversation-member-join.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import type { ChangeCommand } from "./change-conversation.ts";
import { checkAccessRoles } from "./check-access-roles.ts";
import { checkSize } from "./check-size.ts";

/**
 * Let a user join a conversation without being added by a member, with the role that may only leave.
 *
 * @param check decides whether the conversation is open in this way
 * @returns the event; undefined when the user is a member already
 * @throws ApiError `no-conversation`, `access-denied`, `not-a-team-member`, `invalid-op`, `too-many-members`, and what
 *   `check` throws
 */
export function joinConversation(
  deps: Deps,
  { actor, conversationId }: ChangeCommand,
  check: (conversation: Conversation) => Promise<void> | void,
) {
  const { accounts, clock, conversations, settings } = deps;
  const { userId } = actor;
  return change(deps, async () => {
    const [found, account] = await Promise.all([
      conversations.getPopulated(conversationId),
      accounts.get(userId),
    ]);
    if (found === undefined) throw new ApiError("no-conversation");
    const { conversation, members } = found;
    await check(conversation);
    // An access token outlives its account for some minutes.
    if (account === undefined || currentStatus(account, clock()) === "deleted")
      throw new ApiError("access-denied");
    checkAccessRoles(conversation, [account]);
    if (conversation.type !== "regular") throw new ApiError("invalid-op");
    if (members.some((member) => member.userId === userId)) return { result: undefined };
    checkSize(conversation, 1, settings);

    const joining = [{ conversationId, userId, role: "member" as const }];
    const { next, writes } = conversations.change(conversation, { joining });
    const { event, messages } = announce(deps, conversationMemberJoin, {
      conversation: next,
      actor,
      recipients: [...members, ...joining].map((member) => member.userId),
      data: joinData(joining, settings),
    });
    return { writes, messages, result: event };
  });
}
