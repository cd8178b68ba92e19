import * as z from "zod";
import { defineRoutes, hideOtherMethods } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { conversationPath, teamPath } from "../schemas.ts";

const teamConversationPath = teamPath.extend(conversationPath.shape);

export const teamConversation = z
  .object({
    conversation: uuid.meta({ description: "Id of the conversation" }),
    managed: z.literal(false).meta({ description: "Always false" }),
  })
  .meta({ id: "TeamConversation" });

const teamConversationList = z
  .object({ conversations: z.array(teamConversation) })
  .meta({ id: "TeamConversationList" });

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
    responses: { 200: teamConversationList },
    errors: ["not-a-team-member", "operation-denied"],
  },
  "get-team-conversation": {
    method: "GET",
    path: "/teams/{tid}/conversations/{cid}",
    auth: "user",
    summary: "Check that a conversation belongs to your team",
    description: "Even if you are not in it.",
    params: teamConversationPath,
    responses: { 200: teamConversation },
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
    params: teamConversationPath,
    responses: { 200: null },
    errors: ["no-conversation", "action-denied", "invalid-op", "not-a-team-member"],
  },
});

export const routes = hideOtherMethods(table);
