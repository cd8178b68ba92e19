import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { addBot } from "./add-bot.ts";
import { removeBotAsAdmin } from "./remove-bot-as-admin.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "add-bot": async ({ actor, params, body: { provider, service, locale } }) => {
      const added = await addBot(deps, {
        actor,
        conversationId: params.conv,
        service: { providerId: provider, serviceId: service },
        locale,
      });
      const { botId: id, clientId: client, name, accentId: accent_id, assets, event } = added;
      return { body: { id, client, name, accent_id, assets, event } };
    },

    "remove-bot": async ({ actor, params }) => {
      const event = await removeBotAsAdmin(deps, { actor, conversationId: params.conv, botId: params.bot });
      return event === undefined ? { status: 204 } : { status: 200, body: { event } };
    },
  };
}
