import { defineRoutes } from "#shared/platform/http/route.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "add-bot": {
    costs: uncharged.itself,
    method: "POST",
    audit: "bot.added",
    path: "/bot/conversations/{conv}",
    since: 7,
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
    olderForms: { "add-bot-v6": { until: 6, path: "/conversations/{conv}/bots" } },
  },
  "remove-bot": {
    method: "DELETE",
    audit: "bot.removed",
    path: "/bot/conversations/{conv}/{bot}",
    since: 7,
    auth: "user",
    summary: "Remove a bot from its conversation",
    description: "Deletes the bot. 204 if it is no bot of this conversation.",
    params: schemas.botPath,
    responses: { 200: schemas.removedBot, 204: null },
    errors: ["second-factor-required", "no-conversation", "not-conversation-admin", "invalid-conversation"],
    olderForms: { "remove-bot-v6": { until: 6, path: "/conversations/{conv}/bots/{bot}" } },
  },
});
