import * as z from "zod";
import { addPermission } from "../conversation.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** The rule on who may add members to a channel changes. */
export const conversationAddPermissionUpdate = defineConversationEvent({
  type: "conversation.add-permission-update",
  summary: "The rule on who may add members to a channel changes",
  data: z.object({ add_permission: addPermission }),
});
