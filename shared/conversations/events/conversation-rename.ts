import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** A conversation has a new name. */
export const conversationRename = defineConversationEvent({
  type: "conversation.rename",
  summary: "A conversation is renamed",
  isForCells: true,
  data: z.object({ name: z.string() }),
});
