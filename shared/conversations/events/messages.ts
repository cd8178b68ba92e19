import * as z from "zod";
import { defineConversationEvent } from "./conversation-event.ts";

/** A message arrives at one of the devices for which it is encrypted. */
export const conversationOtrMessageAdd = defineConversationEvent({
  type: "conversation.otr-message-add",
  summary: "A message arrives, encrypted for one device",
  data: z.object({
    sender: z.string().meta({ description: "Id of the sending device" }),
    recipient: z.string().meta({ description: "Id of the device for which it is encrypted" }),
    text: z.string().meta({ description: "Ciphertext for that device, in base64" }),
    data: z.string().meta({ description: "Ciphertext for all recipients, in base64; may be empty" }),
  }),
});

/** A message arrives at the devices of an MLS group. */
export const conversationMlsMessageAdd = defineConversationEvent({
  type: "conversation.mls-message-add",
  summary: "A message arrives in an MLS group: a commit, a proposal, or what a member has written",
  data: z.string().meta({ description: "The MLSMessage in base64 (RFC 9420 §6)" }),
});

/** A commit has added a device to an MLS group. */
export const conversationMlsWelcome = defineConversationEvent({
  type: "conversation.mls-welcome",
  summary: "Your device is added to an MLS group",
  data: z.string().meta({ description: "The MLSMessage with the Welcome in base64 (RFC 9420 §12.4.3.1)" }),
});

export const typingStatus = z.enum(["started", "stopped"]).meta({ id: "TypingStatus" });
/** Whether a member types, in requests and events. */
export const typingData = z
  .object({ status: typingStatus })
  .meta({ id: "TypingData", examples: [{ status: "started" }] });

/** A member starts or stops typing. */
export const conversationTyping = defineConversationEvent({
  type: "conversation.typing",
  summary: "A member of a conversation starts or stops typing",
  isTransient: true,
  data: typingData,
});
