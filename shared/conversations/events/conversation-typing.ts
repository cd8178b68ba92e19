import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

export const typingStatus = z.enum(["started", "stopped"]).meta({ id: "TypingStatus" });

/** A member starts or stops typing. */
export const conversationTyping = defineConversationEvent({
  type: "conversation.typing",
  summary: "A member of a conversation starts or stops typing",
  isTransient: true,
  data: z.object({ status: typingStatus }),
});
