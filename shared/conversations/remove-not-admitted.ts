import { type Account, isActivated } from "#shared/accounts/account.ts";
import { chunks } from "#shared/platform/chunks.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { announce } from "./announce.ts";
import { deleteBots } from "./bots/delete-bots.ts";
import type { BotRemovalDeps } from "./bots/remove-bot.ts";
import { accessRole, type Conversation } from "./conversation.ts";
import { orderDepartureJobs } from "./conversation-job.ts";
import { type ConversationMember, isBot } from "./conversation-member.ts";
import type { PopulatedConversation } from "./conversation-store.ts";
import { conversationMemberLeave, leaveData } from "./events/members.ts";

/**
 * Limit on the recipients named by the events of one transaction: half a megabyte, which a partition takes in a second.
 */
const maxRecipients = 10_000;

/**
 * Members of a conversation removed in one transaction, which has at most 100 items. Each member takes four: two of the
 * membership, an event for the members and one for Cells; a bot takes three more, see `deleteBots`.
 */
export const removalsPerTransaction = (members: readonly Pick<ConversationMember, "service">[]) =>
  Math.max(1, Math.min(members.some(isBot) ? 12 : 20, Math.floor(maxRecipients / members.length)));

type Rules = Pick<Conversation, "accessRoles" | "teamId">;

/** Whether the access roles of a conversation admit a member. */
export function isAdmitted(
  { accessRoles, teamId }: Rules,
  { service }: Pick<ConversationMember, "service">,
  account: Pick<Account, "email" | "phone" | "managedByScim" | "samlIdentity" | "teamId"> | undefined,
): boolean {
  if (service !== undefined) return accessRoles.includes("service");
  const isGuest = account === undefined || !isActivated(account);
  if (isGuest && !accessRoles.includes("guest")) return false;
  if (teamId === undefined) return true;
  return accessRoles.includes(account?.teamId === teamId ? "team_member" : "non_team_member");
}

/** Members whom the access roles of the conversation do not admit. */
export async function notAdmitted(
  { accounts }: Pick<BotRemovalDeps, "accounts">,
  rules: Rules,
  members: readonly ConversationMember[],
): Promise<ConversationMember[]> {
  if (accessRole.options.every((role) => rules.accessRoles.includes(role))) return [];
  const found = await accounts.getMany(members.map(({ userId }) => userId));
  const byId = new Map(found.map((account) => [account.userId, account]));
  return members.filter((member) => !isAdmitted(rules, member, byId.get(member.userId)));
}

/**
 * Create the events of removed members, one for each; everybody who was a member before gets all of them. A bot removes
 * itself. Their devices are proposed for removal from the MLS group.
 */
export const announceRemovals = (
  deps: Pick<BotRemovalDeps, "events" | "outbox" | "settings">,
  {
    conversation,
    members,
    leaving,
    actor,
  }: PopulatedConversation & { readonly leaving: readonly ConversationMember[]; readonly actor: Actor },
): OutboxMessage[] => [
  ...leaving.flatMap(({ userId, service }) => {
    const { messages } = announce(deps, conversationMemberLeave, {
      conversation,
      actor: service === undefined ? actor : { userId },
      recipients: members,
      data: leaveData([userId], "removed", deps.settings),
    });
    return messages;
  }),
  ...orderDepartureJobs(deps.outbox, conversation, {
    members,
    leaving: leaving.map(({ userId }) => userId),
  }),
];

/**
 * Remove the members whom the access roles of a conversation do not admit, according to the roles at each removal. May
 * be repeated.
 *
 * @returns whether all are removed; false when time ran out
 */
export async function removeNotAdmitted(
  deps: BotRemovalDeps,
  { conversationId, actor }: { conversationId: string; actor: Actor },
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const { conversations } = deps;
  const found = await conversations.getPopulated(conversationId);
  if (found === undefined) return true;
  const { conversation, members } = found;
  const removed = await notAdmitted(deps, conversation, members);
  for (const batch of chunks(removed, removalsPerTransaction(members))) {
    if (isTimeUp()) return false;
    const userIds = new Set(batch.map(({ userId }) => userId));
    await change(deps, async () => {
      const current = await conversations.getPopulated(conversationId);
      if (current === undefined) return undefined;
      const candidates = current.members.filter(({ userId }) => userIds.has(userId));
      const leaving = await notAdmitted(deps, current.conversation, candidates);
      if (leaving.length === 0) return undefined;
      const deletion = await deleteBots(deps, current.conversation, leaving);
      const { next, writes } = conversations.change(current.conversation, { leaving });
      const { members: before } = current;
      const messages = announceRemovals(deps, { conversation: next, members: before, leaving, actor });
      return combine({ writes, messages }, deletion);
    });
  }
  return true;
}
