import * as z from "zod";
import { conversationAction } from "#shared/conversations/conversation-roles.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { conversationPath, teamPath } from "../schemas.ts";

const rolesView = z
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

export const routes = defineRoutes({
  "get-conversation-roles": {
    method: "GET",
    path: "/conversations/{cid}/roles",
    auth: "user",
    summary: "List the roles that members of a conversation can have",
    params: conversationPath,
    responses: { 200: rolesView },
    errors: ["no-conversation", "access-denied"],
  },
  "get-team-conversation-roles": {
    method: "GET",
    path: "/teams/{tid}/conversations/roles",
    hidesOtherMethods: true,
    auth: "user",
    summary: "List the roles that members of a team's conversations can have",
    params: teamPath,
    responses: { 200: rolesView },
    errors: ["not-a-team-member"],
  },
});
