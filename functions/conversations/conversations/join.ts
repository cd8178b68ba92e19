import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { isConflict } from "#shared/accounts/legal-hold-status.ts";
import { announce } from "#shared/conversations/announce.ts";
import type { Conversation } from "#shared/conversations/conversation.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/members.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { featureConfigUpdate } from "#shared/teams/events.ts";
import { toFeatureView } from "#shared/teams/features/feature-view.ts";
import { mayHaveMlsByTeam, mlsOfGuest } from "#shared/teams/features/mls-of-guest.ts";
import { checkAccessRoles, checkSize } from "./candidates.ts";
import type { ChangeCommand } from "./change-conversation.ts";
import type { Deps } from "./deps.ts";
import { orderSettlement, readStatuses, userMemberIds } from "./legal-hold.ts";

/** A way to join a conversation. */
export interface Entrance {
  /** Decides whether the conversation can be joined this way. */
  readonly check: (conversation: Conversation) => void;
  /** Further conditions of the transaction. */
  readonly conditions?: readonly Write[];
}

/**
 * Let a user join a conversation without being added by a member. The user gets the role that allows nothing but
 * leaving.
 *
 * @param readEntrance runs while the conversation is read, in each attempt
 * @returns the event; undefined when the user is a member already
 * @throws ApiError `no-conversation`, `access-denied`, `not-a-team-member`, `invalid-op`, `too-many-members`, and what
 *   the entrance throws
 */
export function joinConversation(
  deps: Deps,
  { actor, conversationId }: ChangeCommand,
  readEntrance: (attempt: number) => Promise<Entrance> | Entrance,
) {
  const { accounts, clock, conversations, joinTurns, settings } = deps;
  const { userId } = actor;
  const decide = async (attempt: number) => {
    const [found, account, { check, conditions = [] }] = await Promise.all([
      conversations.getPopulated(conversationId),
      accounts.get(userId),
      readEntrance(attempt),
    ]);
    if (found === undefined) throw new ApiError("no-conversation");
    const { conversation, members } = found;
    check(conversation);
    checkJoiner(conversation, account, clock());
    if (conversation.type !== "regular") throw new ApiError("invalid-op");
    if (members.some((member) => member.userId === userId)) return { result: undefined };
    checkSize(conversation, 1, settings);
    const [statuses, forGuest] = await Promise.all([
      readStatuses(deps, [userId, ...userMemberIds(members)]),
      announceMls(deps, conversation, account),
    ]);
    if (isConflict(statuses.values())) throw new ApiError("access-denied");

    const joining = [{ conversationId, userId, role: "member" as const }];
    const { next, writes } = conversations.change(conversation, { joining });
    const { event, messages } = announce(deps, conversationMemberJoin, {
      conversation: next,
      actor,
      recipients: [...members, ...joining],
      data: joinData(joining, settings),
    });
    return {
      writes: [...writes, ...conditions, accounts.requireNotDeleted(userId)],
      messages: [...messages, ...forGuest, ...orderSettlement(deps, conversationId, statuses)],
      result: event,
    };
  };
  // Many may join at the same moment, when a link has been posted.
  const since = performance.now();
  return joinTurns(conversationId, () => change(deps, decide, { isRetriedOnConflict: false, since })).catch(
    answer(AccountNotFoundError, "access-denied"),
  );
}

/**
 * Tells a temporary guest of an MLS group that MLS is available now, which the guest's features did not show before.
 */
async function announceMls(
  { events, features, settings }: Deps,
  { group, teamId }: Conversation,
  account: Account | undefined,
): Promise<OutboxMessage[]> {
  const isConcerned = account?.status === "ephemeral" && group !== undefined && teamId !== undefined;
  if (!isConcerned || !mayHaveMlsByTeam(settings)) return [];
  const mls = mlsOfGuest([await features.get(teamId)], settings);
  if (mls.status === "disabled") return [];
  const content = { team: teamId, name: "mls" as const, data: toFeatureView(mls) };
  return events.toUser(account, featureConfigUpdate, content);
}

/**
 * Check that a conversation admits a user by its access roles. An access token outlives its account by some minutes.
 * @throws ApiError `access-denied`, `not-a-team-member`
 */
export function checkJoiner(conversation: Conversation, account: Account | undefined, now: number): void {
  if (account === undefined || currentStatus(account, now) === "deleted") throw new ApiError("access-denied");
  checkAccessRoles(conversation, [account]);
}
