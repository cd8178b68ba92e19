import type { ErasureOrder } from "#shared/accounts/erasure-order.ts";
import { announce } from "#shared/conversations/announce.ts";
import {
  orderConversationJob,
  orderDepartureJobs,
  orderRemovalProposals,
} from "#shared/conversations/conversation-job.ts";
import type { ConversationEntry, ConversationMember } from "#shared/conversations/conversation-member.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { conversationMemberLeave, leaveData } from "#shared/conversations/events/members.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { Failures } from "#shared/platform/failures.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Deps } from "./deps.ts";

/** Conversations left concurrently. */
const concurrency = 8;

/**
 * Take a deleted user out of all conversations, those of the team first. A conversation that cannot be left does not
 * delay the others.
 *
 * @returns false when time ran out
 */
export async function leaveConversations(
  deps: Deps,
  order: ErasureOrder,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const isOfTeam = ({ teamId }: ConversationEntry) => teamId !== undefined && teamId === order.teamId;
  const failures = new Failures("conversations");
  for (const isTurn of [isOfTeam, (entry: ConversationEntry) => !isOfTeam(entry)]) {
    const entriesInTurn = only(deps.conversations.ofUser(order.userId), isTurn);
    for await (const entries of chunksOfStream(entriesInTurn, concurrency)) {
      if (isTimeUp()) return failures.throwIfStuckOr(false);
      await failures.collectAll(entries.map((entry) => leave(deps, order, entry)));
    }
  }
  return failures.throwOr(true);
}

async function* only<Item>(items: AsyncIterable<Item>, isWanted: (item: Item) => boolean) {
  for await (const item of items) if (isWanted(item)) yield item;
}

function leave(
  deps: Deps,
  { userId, isSecondLook }: ErasureOrder,
  { conversationId }: ConversationEntry,
): Promise<void> {
  return change(deps, async () => {
    const found = await deps.conversations.getPopulated(conversationId);
    // The conversation may be about to be created, or being erased.
    if (found === undefined && !isSecondLook) return undefined;
    const isMember = found?.members.some((member) => member.userId === userId);
    if (found === undefined || !isMember)
      return { writes: deps.conversations.removeRows({ conversationId, userId }) };
    return departureOf(deps, userId, found);
  });
}

/**
 * Create the change by which a deleted user leaves a conversation, if the user is a member. The conversation is removed
 * with its last member, unless it belongs to a team; that of a pending connection is removed with the request. In
 * conversations of two, nobody is told.
 */
export function departureOf(deps: Deps, userId: string, found: PopulatedConversation): Partial<Change> {
  const { conversation, members } = found;
  const isDeserted = members.every((member) => member.userId === userId) && conversation.teamId === undefined;
  if (isDeserted || conversation.type === "connection") {
    const link = deps.guestLinks.removeOf(conversation.conversationId);
    const { conversationId, group } = conversation;
    const order = { job: "erase", conversationId, groupId: group?.groupId } as const;
    const messages = group === undefined ? [] : [orderConversationJob(deps.outbox, order)];
    return { writes: [...deps.conversations.remove(found), link], messages };
  }
  const member = members.find((one) => one.userId === userId);
  // After a block, the devices of the blocking user are still in the MLS group of the two users.
  if (member === undefined) return { messages: orderRemovalProposals(deps.outbox, conversation, [userId]) };
  const changed = deps.conversations.change(conversation, { leaving: [member] });
  const { next } = changed;
  const jobs = orderDepartureJobs(deps.outbox, next, { members, leaving: [userId] });
  const left = { writes: [...changed.writes, ...unlistBot(deps, conversation, member)] };
  if (conversation.type !== "regular") return { ...left, messages: jobs };
  const { messages } = announce(deps, conversationMemberLeave, {
    conversation: next,
    actor: { userId },
    recipients: members.filter((member) => member.userId !== userId),
    data: leaveData([userId], "user-deleted", deps.settings),
  });
  return { ...left, messages: [...messages, ...jobs] };
}

/** A bot whose account an operator has deleted is still in the list of its service. */
const unlistBot = (
  { bots }: Deps,
  { teamId }: PopulatedConversation["conversation"],
  { userId: botId, service }: ConversationMember,
): Write[] =>
  service === undefined
    ? []
    : [bots.remove({ botId, providerId: service.provider, serviceId: service.id, teamId })];
