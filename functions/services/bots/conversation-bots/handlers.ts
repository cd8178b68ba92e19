import { botRemoval } from "#shared/conversations/bots/remove-bot.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { addBot } from "./add-bot.ts";
import { checkAdmin, checkGroup, guardCaller, readSubject } from "./check-admin.ts";
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

/**
 * Remove a bot from its conversation, which deletes it.
 *
 * @returns the event; undefined when it is no bot of the conversation
 * @throws ApiError `second-factor-required`, `no-conversation`, `not-conversation-admin`, `invalid-conversation`
 * @see operation `remove-bot`
 */
const removeBotAsAdmin = (
  deps: Deps,
  { actor, conversationId, botId }: { actor: Actor; conversationId: string; botId: string },
) =>
  change(deps, async () => {
    const { userId } = actor;
    const subject = await readSubject(deps, { userId, conversationId });
    await guardCaller(deps, subject);
    const { conversation, members } = checkAdmin(subject, { userId });
    checkGroup(conversation);
    const member = members.find((one) => one.userId === botId);
    if (member?.service === undefined) return { result: undefined };
    return botRemoval(deps, { conversation, members, member, actor });
  });
