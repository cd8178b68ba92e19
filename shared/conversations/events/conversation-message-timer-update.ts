import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** A conversation has another message timer, or none. */
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
