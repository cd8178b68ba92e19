import * as z from "zod";
import { protocol } from "#shared/registry/feature-configs.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** A conversation has another protocol. */
export const conversationProtocolUpdate = defineConversationEvent({
  type: "conversation.protocol-update",
  summary: "A conversation changes its protocol",
  data: z.object({ protocol }),
});
