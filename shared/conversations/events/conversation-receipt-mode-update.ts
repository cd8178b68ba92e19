import * as z from "zod";
import { receiptMode } from "../conversation.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** The receipt mode of a conversation changes. */
export const conversationReceiptModeUpdate = defineConversationEvent({
  type: "conversation.receipt-mode-update",
  summary: "The receipt mode of a conversation changes",
  data: z.object({ receipt_mode: receiptMode }),
});
