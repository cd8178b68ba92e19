import { isMls } from "#shared/conversations/conversation.ts";
import { conversationReceiptModeUpdate } from "#shared/conversations/events/settings.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type ChangeCommand, changeConversation } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";

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
