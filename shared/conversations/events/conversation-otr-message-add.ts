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
