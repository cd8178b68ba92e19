import * as z from "zod";
import { addPermission } from "../conversation.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** Others may add members to a channel than before. */
export const conversationAddPermissionUpdate = defineConversationEvent({
  type: "conversation.add-permission-update",
  summary: "Others may add members to a channel than before",
  data: z.object({ add_permission: addPermission }),
});
