import { defineRoutes } from "#shared/platform/http/route.ts";
import { conversationPath, teamPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-conversation-roles": {
    method: "GET",
    path: "/conversations/{cid}/roles",
    auth: "user",
    summary: "List the roles that members of a conversation can have",
    params: conversationPath,
    responses: { 200: schemas.rolesView },
    errors: ["no-conversation", "access-denied"],
  },
  "get-team-conversation-roles": {
    method: "GET",
    path: "/teams/{tid}/conversations/roles",
    hidesOtherMethods: true,
    auth: "user",
    summary: "List the roles that members of a team's conversations can have",
    params: teamPath,
    responses: { 200: schemas.rolesView },
    errors: ["not-a-team-member"],
  },
});
