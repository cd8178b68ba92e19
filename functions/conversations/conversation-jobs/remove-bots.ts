import { deleteBots } from "#shared/conversations/bots/delete-bots.ts";
import { type BotRemovalDeps, removeBot } from "#shared/conversations/bots/remove-bot.ts";
import type { Conversation } from "#shared/conversations/conversation.ts";
import { canHaveBots } from "#shared/conversations/conversation-job.ts";
import { isBot } from "#shared/conversations/conversation-member.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";

/**
 * Remove the bots of a conversation that cannot have any. May be repeated.
 * @returns whether all is done; false when time ran out
 */
export async function removeBots(
  deps: BotRemovalDeps,
  conversationId: string,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  for (;;) {
    const found = await deps.conversations.getPopulated(conversationId);
    if (found === undefined || canHaveBots(found.conversation, found.members)) return true;
    const bot = found.members.find(isBot);
    if (bot === undefined) return true;
    if (isTimeUp()) return false;
    await removeBot(deps, { botId: bot.userId, conversationId });
  }
}

/** Delete the accounts of the bots of a deleted conversation, before its rows are erased. May be repeated. */
export async function deleteBotsOf(
  deps: BotRemovalDeps,
  { conversationId, teamId }: Pick<Conversation, "conversationId" | "teamId">,
): Promise<void> {
  for await (const bot of deps.conversations.botsOf(conversationId))
    await change(deps, () => deleteBots(deps, { teamId }, [bot]));
}
