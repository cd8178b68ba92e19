import { botRemoval } from "#shared/conversations/bots/remove-bot.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { checkAdmin, checkGroup, guardCaller, readSubject } from "./check-admin.ts";

/**
 * Remove a bot from its conversation, which deletes it.
 *
 * @returns the event; undefined when it is no bot of the conversation
 * @throws ApiError `second-factor-required`, `no-conversation`, `not-conversation-admin`, `invalid-conversation`
 * @see operation `remove-bot`
 */
export const removeBotAsAdmin = (
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
