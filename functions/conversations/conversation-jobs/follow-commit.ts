import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import { announceMembers } from "#shared/conversations/announce-members.ts";
import { type ConversationJob, orderConversationJob } from "#shared/conversations/conversation-job.ts";
import type { ConversationStore } from "#shared/conversations/conversation-store.ts";
import type { GroupStore } from "#shared/devices/mls/group-store.ts";
import { devicesByUser } from "#shared/devices/mls/leaves.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** Each takes two of the 100 writes of a transaction. */
const maxMembers = 40;

/**
 * Add and remove the members of a conversation whom a commit has added and removed, but who did not fit into its
 * transaction: those who have devices in the group now, and those who have none. Deleted users stay out. May be
 * repeated.
 *
 * @returns whether all is done; false when time ran out
 */
export async function followCommit(
  deps: {
    readonly accounts: AccountStore;
    readonly conversations: ConversationStore;
    readonly dynamo: DynamoDBDocumentClient;
    readonly events: EventPublisher;
    readonly groups: GroupStore;
    readonly outbox: Outbox;
    readonly settings: Settings;
  },
  {
    conversationId,
    groupId,
    actor,
    joining,
    leaving,
  }: Omit<Extract<ConversationJob, { job: "follow-commit" }>, "job">,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const { accounts, conversations, groups, outbox } = deps;
  for (const batch of chunks([...joining, ...leaving], maxMembers)) {
    if (isTimeUp()) return false;
    await change(deps, async () => {
      const [found, group] = await Promise.all([
        conversations.getPopulated(conversationId),
        groups.get(groupId),
      ]);
      if (found === undefined || group === undefined) return undefined;
      const { conversation, members } = found;
      const isMember = new Set(members.map(({ userId }) => userId));
      const inGroup = devicesByUser(group.leaves);
      const expected = batch.filter(
        (userId) => joining.includes(userId) && inGroup.has(userId) && !isMember.has(userId),
      );
      const present = new Set(
        (await accounts.getMany(expected))
          .filter(({ status }) => status !== "deleted")
          .map(({ userId }) => userId),
      );
      const newcomers = expected
        .filter((userId) => present.has(userId))
        .map((userId) => ({ conversationId, userId, role: "member" as const }));
      const leavers = batch.filter(
        (userId) => leaving.includes(userId) && !inGroup.has(userId) && isMember.has(userId),
      );
      // Whoever has deleted a device or the account meanwhile was not a member yet. Leavers may be in subconversations.
      const removals =
        expected.length + leavers.length === 0
          ? []
          : [
              orderConversationJob(outbox, {
                job: "propose-removals",
                conversationId,
                userIds: [...expected.filter((userId) => !present.has(userId)), ...leavers],
                lostDevicesOf: newcomers.map(({ userId }) => userId),
              }),
            ];
      if (newcomers.length + leavers.length === 0) return { messages: removals };
      const { next, writes } = conversations.change(conversation, {
        joining: newcomers,
        leaving: leavers.map((userId) => ({ conversationId, userId })),
      });
      const { messages } = announceMembers(deps, {
        conversation: next,
        actor,
        members,
        joining: newcomers.map(({ userId }) => userId),
        leaving: leavers,
      });
      return { writes, messages: [...messages, ...removals] };
    });
  }
  return true;
}
