import type { Bot } from "#shared/conversations/bots/bot.ts";
import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import { announce } from "../announce.ts";
import type { ConversationMember } from "../conversation-member.ts";
import type { PopulatedConversation } from "../conversation-store.ts";
import { conversationMemberLeave, leaveData } from "../events/members.ts";
import { type BotDeletionDeps, deleteBots } from "./delete-bots.ts";

/**
 * Dependencies of removing bots. Uses the tables accounts, conversations, services and outbox (all write), and sends to
 * `events` and `erasures`.
 */
export type BotRemovalDeps = BotDeletionDeps &
  Pick<ConversationDeps, "conversations" | "dynamo" | "events" | "settings">;

/**
 * Take a bot out of its conversation, tell all who were in it, and delete its account. May be repeated.
 *
 * @param bot as in the list of its service, or as far as its token describes it
 * @param actor the user who removes it; absent: the bot itself
 * @returns the event; undefined when it is no bot of this conversation
 */
export function removeBot(
  deps: BotRemovalDeps,
  bot: Pick<Bot, "botId" | "conversationId"> & Partial<Bot>,
  actor?: Actor,
) {
  return change(deps, async () => {
    const found = await deps.conversations.getPopulated(bot.conversationId);
    const member = found?.members.find(({ userId }) => userId === bot.botId);
    if (found === undefined || member?.service === undefined) return deleteLeftOver(deps, bot);
    return botRemoval(deps, { ...found, member, actor });
  });
}

/** Create the change that takes a bot out of its conversation, for a use case that has made its own checks. */
export async function botRemoval(
  deps: Omit<BotRemovalDeps, "dynamo">,
  {
    conversation,
    members,
    member,
    actor = { userId: member.userId },
  }: PopulatedConversation & { readonly member: ConversationMember; readonly actor: Actor | undefined },
) {
  const deletion = await deleteBots(deps, conversation, [member]);
  const { next, writes } = deps.conversations.change(conversation, { leaving: [member] });
  const { event, messages } = announce(deps, conversationMemberLeave, {
    conversation: next,
    actor,
    recipients: members,
    data: leaveData([member.userId], "removed", deps.settings),
  });
  return { ...combine({ writes, messages }, deletion), result: event };
}

/** The erasure of a conversation removes its bots, unless their service is deleted first. */
async function deleteLeftOver(
  deps: BotDeletionDeps,
  { botId, providerId, serviceId, teamId }: Pick<Bot, "botId"> & Partial<Bot>,
): Promise<Partial<Change> & { readonly result: undefined }> {
  if (providerId === undefined || serviceId === undefined) return { result: undefined };
  const service = { provider: providerId, id: serviceId };
  return { ...(await deleteBots(deps, { teamId }, [{ userId: botId, service }])), result: undefined };
}
