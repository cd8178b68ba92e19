import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { BotActor } from "#shared/platform/http/route.ts";
import { refuseSecondFactorOf } from "#shared/services/second-factor-guard.ts";
import type { Deps } from "../deps.ts";

/**
 * Read the conversation of a bot, without the bot itself.
 * @throws ApiError `second-factor-required` where the conversation's team, or the server, demands one, `no-conversation`
 *   when it is gone, or the bot is no longer in it
 * @see operation `get-bot-conversation`
 */
export async function readConversation(
  deps: Pick<Deps, "conversations" | "features" | "settings">,
  { botId, conversationId }: BotActor,
): Promise<PopulatedConversation> {
  const found = await deps.conversations.getPopulated(conversationId);
  await refuseSecondFactorOf(deps, found?.conversation);
  if (found === undefined || !found.members.some(({ userId }) => userId === botId))
    throw new ApiError("no-conversation");
  return { ...found, members: found.members.filter(({ userId }) => userId !== botId) };
}
