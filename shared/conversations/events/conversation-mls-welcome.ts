import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** A commit has added a device to an MLS group. */
export const conversationMlsWelcome = defineConversationEvent({
  type: "conversation.mls-welcome",
  summary: "Your device is added to an MLS group",
  data: z.string().meta({ description: "The MLSMessage with the Welcome in base64 (RFC 9420 §12.4.3.1)" }),
});
