import type { Handlers, Input } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { addBot } from "./add-bot.ts";
import { removeBotAsAdmin } from "./remove-bot-as-admin.ts";
import type { routes } from "./routes.ts";

type Addition = Pick<Input<(typeof routes)["add-bot"]>, "actor" | "params" | "body">;
type Removal = Pick<Input<(typeof routes)["remove-bot"]>, "actor" | "params">;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const add = async ({ actor, params, body: { provider, service, locale } }: Addition) => {
    const added = await addBot(deps, {
      actor,
      conversationId: params.conv,
      service: { providerId: provider, serviceId: service },
      locale,
    });
    const { botId: id, clientId: client, name, accentId: accent_id, assets, event } = added;
    return { body: { id, client, name, accent_id, assets, event } };
  };

  const remove = async ({ actor, params }: Removal) => {
    const event = await removeBotAsAdmin(deps, { actor, conversationId: params.conv, botId: params.bot });
    return event === undefined ? ({ status: 204 } as const) : ({ status: 200, body: { event } } as const);
  };

  return { "add-bot": add, "add-bot-v6": add, "remove-bot": remove, "remove-bot-v6": remove };
}
