import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { announce } from "./announce.ts";
import type { ConversationStore, PopulatedConversation } from "./conversation-store.ts";
import { conversationMemberLeave, type LeaveReason, leaveData } from "./events/conversation-member-leave.ts";

/** What leaving a conversation needs. */
export interface DepartureDeps {
  readonly conversations: ConversationStore;
  readonly events: EventPublisher;
  readonly settings: Settings;
}

interface Departure {
  readonly reason: LeaveReason;
  /** Who caused it; with reason `left` or `user-deleted`, the member who leaves. */
  readonly actor: Actor;
}

/**
 * Build the change by which members leave a conversation, with its event, which `result` is. All members get the event,
 * also those who leave, unless their accounts are deleted. Nobody is told in conversations that are not groups.
 *
 * @param userIds members of the conversation, as many as one transaction takes
 */
export function departureChange(
  deps: DepartureDeps,
  { conversation, members }: PopulatedConversation,
  { userIds, reason, actor }: Departure & { readonly userIds: readonly string[] },
) {
  const { conversations, settings } = deps;
  const { conversationId } = conversation;
  const { next, writes } = conversations.change(conversation, {
    leaving: userIds.map((userId) => ({ conversationId, userId })),
  });
  const isTold = (userId: string) => reason !== "user-deleted" || !userIds.includes(userId);
  const { event, messages } = announce(deps, conversationMemberLeave, {
    conversation: next,
    actor,
    recipients: members.map(({ userId }) => userId).filter(isTold),
    data: leaveData(userIds, reason, settings),
  });
  const isSilent = conversation.type !== "regular";
  return { writes, messages: isSilent ? [] : messages, result: event } satisfies Change & { result: unknown };
}

/**
 * Take a user out of a conversation for a reason other than a request about it: with the own settings, the entry in the
 * user's list goes, also that of a conversation that is gone. May be repeated.
 *
 * @throws ConflictError when others change the conversation faster every time
 */
export async function leaveConversation(
  deps: DepartureDeps & { readonly dynamo: DynamoDBDocumentClient },
  { conversationId, userId, ...departure }: Departure & { conversationId: string; userId: string },
): Promise<void> {
  const { conversations } = deps;
  await change(deps, async () => {
    const found = await conversations.getPopulated(conversationId);
    if (found === undefined) return { writes: conversations.removeRows({ conversationId, userId }) };
    const isMember = found.members.some((member) => member.userId === userId);
    return isMember ? departureChange(deps, found, { userIds: [userId], ...departure }) : undefined;
  });
}
