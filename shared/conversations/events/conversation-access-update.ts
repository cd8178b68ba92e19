import * as z from "zod";
import { access, accessRole, type Conversation } from "../conversation.ts";
import { legacyAccessRole, toLegacyAccessRole } from "../legacy-access-role.ts";
import { defineConversationEvent } from "./conversation-event.ts";

const data = z.object({
  access: z.array(access),
  access_role: legacyAccessRole,
  access_role_v2: z.array(accessRole),
});

/** The rules on who may get into a conversation, and how, change. */
export const conversationAccessUpdate = defineConversationEvent({
  type: "conversation.access-update",
  summary: "The rules on who may get into a conversation, and how, change",
  data,
});

/** The data of the event, which is the same in all versions. */
export const accessData = ({
  access,
  accessRoles,
}: Pick<Conversation, "access" | "accessRoles">): z.input<typeof data> => ({
  access,
  access_role: toLegacyAccessRole(accessRoles),
  access_role_v2: accessRoles,
});
