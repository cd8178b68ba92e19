import { isConversationName } from "#shared/conversations/conversation.ts";
import { conversationRename } from "#shared/conversations/events/settings.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { hasPermission } from "#shared/teams/permissions.ts";
import { type ChangeCommand, changeConversation } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";

/**
 * Rename a conversation. The event is sent even if the name is unchanged.
 *
 * @returns the event
 * @throws ApiError those of `changeConversation`, `invalid-op` for partners of the team, `client-error`
 * @see operations `update-conversation-name` and its older forms
 */
export const rename = (deps: Deps, { name, ...command }: ChangeCommand & { name: string }) =>
  changeConversation(
    deps,
    command,
    { action: "modify_conversation_name", event: conversationRename, bytes: Buffer.byteLength(name) },
    ({ teamMember }) => {
      if (teamMember !== undefined && !hasPermission(teamMember.permissions, "ModifyConvName"))
        throw new ApiError("invalid-op");
      if (!isConversationName(name)) throw new ApiError("client-error");
      return { fields: { name }, data: { name } };
    },
  );
