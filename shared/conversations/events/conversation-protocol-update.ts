import * as z from "zod";
import { protocol } from "#shared/registry/feature-configs.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** The protocol of a conversation changes. */
export const conversationProtocolUpdate = defineConversationEvent({
  type: "conversation.protocol-update",
  summary: "The protocol of a conversation changes",
  data: z.object({ protocol }),
});
