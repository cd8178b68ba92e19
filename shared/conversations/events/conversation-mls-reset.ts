import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

const groupId = z.string().meta({ description: "Id of an MLS group in base64" });

/** The MLS group of a conversation is replaced by an empty one. */
export const conversationMlsReset = defineConversationEvent({
  type: "conversation.mls-reset",
  summary: "The MLS group of a conversation is replaced by an empty one, in which nobody is yet",
  data: z.object({ group_id: groupId, new_group_id: groupId }),
});
