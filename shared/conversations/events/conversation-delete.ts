import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** A conversation is deleted. */
export const conversationDelete = defineConversationEvent({
  type: "conversation.delete",
  summary: "A conversation is deleted",
  isForCells: true,
  data: z.null(),
});
