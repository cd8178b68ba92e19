import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import type { GroupStore } from "#shared/devices/mls/group-store.ts";
import { devicesByUser, type Leaves } from "#shared/devices/mls/leaves.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import { chunks } from "#shared/platform/chunks.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { announceMembers } from "./announce.ts";
import { type ConversationJob, orderConversationJob } from "./conversation-job.ts";
import type { ConversationMember } from "./conversation-member.ts";
import type { ConversationStore, PopulatedConversation } from "./conversation-store.ts";
import { deliverWelcome } from "./deliver-mls.ts";

/** Users who join or leave in one transaction: each takes two of its 100 writes. */
export const maxMembersOfCommit = 40;

interface FollowDeps {
  readonly accounts: AccountStore;
  readonly conversations: ConversationStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly groups: GroupStore;
  readonly outbox: Outbox;
  readonly settings: Settings;
}

/** The work that a commit leaves. */
export type CommitRest = Omit<Extract<ConversationJob, { job: "follow-commit" }>, "job">;

/** The members of a conversation, and the devices in its group. */
export interface GroupMembers extends PopulatedConversation {
  readonly leaves: Leaves;
}

interface FollowOptions {
  /** The state after the commit, if it need not be read. */
  readonly known?: GroupMembers;
  /** Committed with the last part. */
  readonly atEnd?: readonly Write[];
}

/** Members who have joined and left in one transaction. */
export interface FollowedPart {
  readonly joined: readonly string[];
  readonly left: readonly string[];
  /** Whether nothing remains to be done. */
  readonly isLast: boolean;
}

/**
 * Add and remove the users whom a commit has added to and removed from a conversation, but who did not fit into its
 * transaction: users with devices in the group join, members without leave. Deleted users stay out. The last part sends
 * the Welcome. May be repeated, but not after the last part, which would send the Welcome again.
 */
export async function* followCommit(
  deps: FollowDeps,
  { conversationId, groupId, actor, joining, leaving, welcome }: CommitRest,
  { known, atEnd = [] }: FollowOptions = {},
): AsyncGenerator<FollowedPart> {
  const { accounts, conversations, outbox } = deps;
  const [joiningIds, leavingIds] = [new Set(joining), new Set(leaving)];
  const batches = [...chunks([...joining, ...leaving], maxMembersOfCommit)];
  let before = known;
  for (const [index, batch] of batches.entries()) {
    const isLast = index === batches.length - 1;
    const part = await change(deps, async (attempt) => {
      const state =
        attempt === 1 && before !== undefined ? before : await readState(deps, { conversationId, groupId });
      if (state === undefined) return { writes: isLast ? atEnd : [], result: undefined };
      const { conversation, members, leaves } = state;
      const isMember = new Set(members.map(({ userId }) => userId));
      const inGroup = devicesByUser(leaves);
      const expected = batch.filter(
        (userId) => joiningIds.has(userId) && inGroup.has(userId) && !isMember.has(userId),
      );
      const present = new Set(
        (await accounts.getMany(expected))
          .filter(({ status }) => status !== "deleted")
          .map(({ userId }) => userId),
      );
      const joined = expected.filter((userId) => present.has(userId));
      const left = batch.filter(
        (userId) => leavingIds.has(userId) && !inGroup.has(userId) && isMember.has(userId),
      );
      const newcomers = joined.map((userId) => ({ conversationId, ...newMember(userId) }));
      const { next, writes } =
        joined.length + left.length === 0
          ? { next: conversation, writes: [] }
          : conversations.change(conversation, {
              joining: newcomers,
              leaving: left.map((userId) => ({ conversationId, userId })),
            });
      const announced = announceMembers(deps, {
        conversation: next,
        actor,
        members,
        joining: joined,
        leaving: left,
      });
      const after = {
        conversation: next,
        members: membersAfter(state, { joining: joined, leaving: left }),
        leaves,
      };
      // A user who has deleted a device or the account meanwhile was not a member yet, so no job has removed the
      // device. Leaving users may be in subconversations.
      const removals =
        expected.length + left.length === 0
          ? []
          : [
              orderConversationJob(outbox, {
                job: "propose-removals",
                conversationId,
                userIds: [...expected.filter((userId) => !present.has(userId)), ...left],
                lostDevicesOf: joined,
              }),
            ];
      return {
        writes: [...writes, ...(isLast ? atEnd : [])],
        messages: [
          ...announced.messages,
          ...(isLast && welcome !== undefined
            ? welcomeNewcomers(deps, after, { actor, joiningIds, welcome })
            : []),
          ...removals,
        ],
        result: { after, joined, left },
      };
    });
    if (part === undefined) return;
    const { after, joined, left } = part;
    before = after;
    yield { joined, left, isLast };
  }
}

/** The members after users have joined and left. */
export function membersAfter(
  { conversation: { conversationId }, members }: PopulatedConversation,
  { joining, leaving }: Readonly<Record<"joining" | "leaving", readonly string[]>>,
): ConversationMember[] {
  const isLeaving = new Set(leaving);
  return [
    ...members.filter(({ userId }) => !isLeaving.has(userId)),
    ...joining.map((userId) => ({ conversationId, ...newMember(userId) })),
  ];
}

/** Users whom a commit adds may do nothing but leave. */
export const newMember = (userId: string) => ({ userId, role: "member" as const });

async function readState(
  { conversations, groups }: Pick<FollowDeps, "conversations" | "groups">,
  { conversationId, groupId }: Pick<CommitRest, "conversationId" | "groupId">,
): Promise<GroupMembers | undefined> {
  const [found, group] = await Promise.all([conversations.getPopulated(conversationId), groups.get(groupId)]);
  return found && group && { ...found, leaves: group.leaves };
}

/** The Welcome goes to all of them, even if somebody else has added one meanwhile. */
function welcomeNewcomers(
  deps: Pick<FollowDeps, "events" | "settings">,
  { conversation: { conversationId, changedAt: time }, members, leaves }: GroupMembers,
  { actor, joiningIds, welcome }: Pick<CommitRest, "actor"> & { joiningIds: Set<string>; welcome: string },
) {
  const isMember = new Set(members.map(({ userId }) => userId));
  const added = [...leaves.values()].filter(
    ({ userId, isLeaving }) => joiningIds.has(userId) && isMember.has(userId) && !isLeaving,
  );
  return deliverWelcome(deps, { conversationId, actor, time, added, bytes: Buffer.from(welcome, "base64") });
}
