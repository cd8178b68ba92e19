import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import * as schemas from "./schemas.ts";

const add = {
  method: "POST",
  auth: "user",
  summary: "Add a bot to a conversation",
  description:
    "Asks the service to create a bot, which becomes a member of this one conversation. Only admins of the conversation can " +
    "do it. A team's conversation takes only services that the team admits.",
  params: schemas.conversationPath,
  body: schemas.addition,
  responses: { 201: schemas.addedBot },
  errors: [
    "second-factor-required",
    "bot-adder-unknown",
    "no-conversation",
    "not-conversation-admin",
    "invalid-conversation",
    "too-many-members",
    "service-not-found",
    "service-disabled",
    "service-not-whitelisted",
    "too-many-bots",
    "too-many-requests",
    "service-failed",
  ],
} as const satisfies Partial<Route>;

const remove = {
  method: "DELETE",
  auth: "user",
  summary: "Remove a bot from its conversation",
  description: "Deletes the bot. 204 if it is no bot of this conversation.",
  params: schemas.botPath,
  responses: { 200: schemas.removedBot, 204: null },
  errors: ["second-factor-required", "no-conversation", "not-conversation-admin", "invalid-conversation"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "add-bot": { ...add, path: "/bot/conversations/{conv}", since: 7 },
  "add-bot-v6": { ...add, path: "/conversations/{conv}/bots", until: 6 },
  "remove-bot": { ...remove, path: "/bot/conversations/{conv}/{bot}", since: 7 },
  "remove-bot-v6": { ...remove, path: "/conversations/{conv}/bots/{bot}", until: 6 },
});
