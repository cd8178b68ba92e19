import { defineRoutes, hideOtherMethods } from "#shared/platform/http/route.ts";
import { teamPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const table = defineRoutes({
  "get-team-conversations": {
    method: "GET",
    path: "/teams/{tid}/conversations",
    auth: "user",
    summary: "List the conversations of your team",
    description:
      "In the order of their ids, including those that you are not in. The list is cut off where the " +
      "answer is full.",
    params: teamPath,
    responses: { 200: schemas.teamConversationList },
    errors: ["not-a-team-member", "operation-denied"],
  },
  "get-team-conversation": {
    method: "GET",
    path: "/teams/{tid}/conversations/{cid}",
    auth: "user",
    summary: "Check that a conversation belongs to your team",
    description: "Even if you are not in it.",
    params: schemas.teamConversationPath,
    responses: { 200: schemas.teamConversation },
    errors: ["not-a-team-member", "operation-denied", "no-conversation"],
  },
  "delete-team-conversation": {
    method: "DELETE",
    audit: "conversation.deleted",
    path: "/teams/{tid}/conversations/{cid}",
    auth: "user",
    summary: "Delete a conversation of your team",
    description:
      "For admins of the conversation who are in the team, and for admins of the team who are in the channel.",
    params: schemas.teamConversationPath,
    responses: { 200: null },
    errors: ["no-conversation", "action-denied", "invalid-op", "not-a-team-member"],
  },
});

export const routes = hideOtherMethods(table);
