import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** The message timer of a conversation changes or is removed. */
export const conversationMessageTimerUpdate = defineConversationEvent({
  type: "conversation.message-timer-update",
  summary: "The message timer of a conversation changes",
  data: z.object({
    message_timer: z
      .int()
      .nullable()
      .meta({ description: "Milliseconds after which clients remove messages" }),
  }),
});
