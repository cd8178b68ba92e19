import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** A message arrives at the devices of an MLS group. */
export const conversationMlsMessageAdd = defineConversationEvent({
  type: "conversation.mls-message-add",
  summary: "A message arrives in an MLS group: a commit, a proposal, or what a member has written",
  data: z.string().meta({ description: "The MLSMessage in base64 (RFC 9420 §6)" }),
});
