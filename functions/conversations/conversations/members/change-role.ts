import type { ConversationRole } from "#shared/conversations/conversation-roles.ts";
import { conversationMemberUpdate, roleData } from "#shared/conversations/events/members.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type ChangeCommand, changeConversation } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";

/**
 * Change the role of another member. A conversation may end up without an admin.
 *
 * @param command.userId undefined for a user of another domain
 * @throws ApiError those of `changeConversation`, `invalid-op` for oneself, `no-conversation-member`
 * @see operation `update-other-member` and its older form
 */
export async function changeRole(
  deps: Deps,
  {
    userId,
    role,
    ...command
  }: ChangeCommand & { readonly userId: string | undefined; readonly role: ConversationRole },
): Promise<void> {
  const options = { action: "modify_other_conversation_member", event: conversationMemberUpdate } as const;
  await changeConversation(deps, command, options, ({ members }) => {
    if (userId === command.actor.userId) throw new ApiError("invalid-op");
    const member = members.find((one) => one.userId === userId);
    if (member === undefined) throw new ApiError("no-conversation-member");
    if (member.role === role) return undefined;
    return { updated: [{ ...member, role }], data: roleData(member.userId, role, deps.settings) };
  });
}
