import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** A conversation is renamed. */
export const conversationRename = defineConversationEvent({
  type: "conversation.rename",
  summary: "A conversation is renamed",
  isForCells: true,
  data: z.object({ name: z.string() }),
});
