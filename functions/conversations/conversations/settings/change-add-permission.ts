import { type AddPermission, isChannel } from "#shared/conversations/conversation.ts";
import { conversationAddPermissionUpdate } from "#shared/conversations/events/settings.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type ChangeCommand, changeConversation } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";

/**
 * Set who may add members to a channel.
 *
 * @returns the event; undefined when nothing has changed
 * @throws ApiError those of `changeConversation`, `invalid-op` for other conversations
 * @see operation `update-channel-add-permission`
 */
export const changeAddPermission = (
  deps: Deps,
  { addPermission, ...command }: ChangeCommand & { addPermission: AddPermission },
) =>
  changeConversation(
    deps,
    command,
    { action: "modify_add_permission", event: conversationAddPermissionUpdate },
    ({ conversation }) => {
      if (!isChannel(conversation)) throw new ApiError("invalid-op");
      if (conversation.addPermission === addPermission) return undefined;
      return { fields: { addPermission }, data: { add_permission: addPermission } };
    },
  );
