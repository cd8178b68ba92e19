import * as z from "zod";
import { userAsset } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { accentId } from "#shared/accounts/profiles/profile-fields.ts";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationMemberJoin, conversationMemberLeave } from "#shared/conversations/events/members.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

const conversationPath = z.object({
  conv: wire.uuid.meta({ description: "Id of the conversation" }),
});
const botPath = conversationPath.extend({ bot: wire.uuid.meta({ description: "Id of the bot" }) });

const addition = z
  .object({
    provider: wire.uuid.meta({ description: "Id of the provider of the service" }),
    service: wire.uuid.meta({ description: "Id of the service" }),
    locale: accountTypes.locale
      .optional()
      .meta({ description: "Language in which the bot is to speak; by default yours" }),
  })
  .meta({
    id: "AddBot",
    examples: [
      {
        provider: "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a01",
        service: "1d1b64f4-6f5e-4f0e-8d1c-2c3a7b9e5f60",
        locale: "en",
      },
    ],
  });

const addedBot = z
  .object({
    id: z.uuid().meta({ description: "Id of the bot, which is that of a user" }),
    client: z.string().meta({ description: "Id of its only device" }),
    name: z.string(),
    accent_id: accentId,
    assets: z.array(userAsset),
    event: eventView(conversationMemberJoin),
  })
  .meta({ id: "AddBotResponse" });

const removedBot = z.object({ event: eventView(conversationMemberLeave) }).meta({ id: "RemoveBotResponse" });

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
    params: conversationPath,
    body: addition,
    responses: { 201: addedBot },
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
    params: botPath,
    responses: { 200: removedBot, 204: null },
    errors: ["second-factor-required", "no-conversation", "not-conversation-admin", "invalid-conversation"],
    olderForms: { "remove-bot-v6": { until: 6, path: "/conversations/{conv}/bots/{bot}" } },
  },
});
