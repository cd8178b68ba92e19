import { isDeepStrictEqual } from "node:util";
import {
  type AddPermission,
  isChannel,
  isConversationName,
  isMls,
  messageTimerFields,
  messageTimerOf,
} from "#shared/conversations/conversation.ts";
import {
  conversationAddPermissionUpdate,
  conversationMessageTimerUpdate,
  conversationReceiptModeUpdate,
  conversationRename,
} from "#shared/conversations/events/settings.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Int64 } from "#shared/platform/int64.ts";
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

/**
 * Set whether clients send read receipts, which MLS conversations do not have.
 *
 * @returns the event; undefined when nothing has changed
 * @throws ApiError those of `changeConversation`, `mls-receipts-not-allowed`
 * @see operations `update-conversation-receipt-mode` and its older form
 */
export const changeReceiptMode = (
  deps: Deps,
  { receiptMode, ...command }: ChangeCommand & { receiptMode: number },
) =>
  changeConversation(
    deps,
    command,
    { action: "modify_conversation_receipt_mode", event: conversationReceiptModeUpdate },
    ({ conversation }) => {
      if (isMls(conversation)) throw new ApiError("mls-receipts-not-allowed");
      if (conversation.receiptMode === receiptMode) return undefined;
      return { fields: { receiptMode }, data: { receipt_mode: receiptMode } };
    },
  );

/**
 * Set after how many milliseconds clients remove messages, if at all.
 *
 * @returns the event; undefined when nothing has changed
 * @throws ApiError those of `changeConversation`
 * @see operations `update-conversation-message-timer` and its older form
 */
export const changeMessageTimer = (
  deps: Deps,
  { messageTimer, ...command }: ChangeCommand & { messageTimer: Int64 | undefined },
) =>
  changeConversation(
    deps,
    command,
    { action: "modify_conversation_message_timer", event: conversationMessageTimerUpdate },
    ({ conversation }) =>
      isDeepStrictEqual(messageTimerOf(conversation), messageTimer)
        ? undefined
        : { fields: messageTimerFields(messageTimer), data: { message_timer: messageTimer ?? null } },
  );

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
