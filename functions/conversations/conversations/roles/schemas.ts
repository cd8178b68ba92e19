import * as z from "zod";
import { conversationAction } from "#shared/conversations/conversation-roles.ts";

export const rolesView = z
  .object({
    conversation_roles: z.array(
      z
        .object({
          conversation_role: z.string().meta({ description: "Name of the role" }),
          actions: z.array(conversationAction),
        })
        .meta({ id: "ConversationRole" }),
    ),
  })
  .meta({ id: "ConversationRolesList" });
