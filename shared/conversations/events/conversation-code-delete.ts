import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** The guest link is removed. */
export const conversationCodeDelete = defineConversationEvent({
  type: "conversation.code-delete",
  summary: "A conversation no longer has a guest link",
  data: z.null(),
});
