import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { deleteBots } from "#shared/conversations/bots/delete-bots.ts";
import { type BotRemovalDeps, removeBot } from "#shared/conversations/bots/remove-bot.ts";
import type { Conversation } from "#shared/conversations/conversation.ts";
import {
  type ConversationJob,
  canHaveBots,
  conversationJob,
  orderConversationJob,
  orderSecondLook,
} from "#shared/conversations/conversation-job.ts";
import { isBot } from "#shared/conversations/conversation-member.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { followCommit } from "#shared/conversations/follow-commit.ts";
import { settleGroup } from "#shared/conversations/legal-hold/settle-group.ts";
import { removeNotAdmitted } from "#shared/conversations/remove-not-admitted.ts";
import { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { startTimeLimit, type TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { proposeRemovals, removeDeviceFromGroups } from "./propose-removals.ts";

type Proposal = Extract<ConversationJob, { job: "propose-removals" }>;
type BotRemoval = Extract<ConversationJob, { job: "remove-bots" }>;
type DeviceRemoval = Extract<ConversationJob, { job: "remove-device" }>;
type Removal = Extract<ConversationJob, { job: "remove-not-admitted" }>;
type Erasure = Extract<ConversationJob, { job: "erase" }>;
type Following = Extract<ConversationJob, { job: "follow-commit" }>;
type Settlement = Extract<ConversationJob, { job: "settle-legal-hold" }>;
type Undoing = Extract<ConversationJob, { job: "undo-creation" }>;

/** Handle messages from the queue `conversation-jobs`. */
export const createHandler = (deps: Deps) =>
  createLeasedWorker(deps.outboxWorker, ({ payload }) => run(deps, conversationJob.parse(payload)), {
    ...deps,
    queue: "conversation-jobs",
  });

function run(deps: Deps, job: ConversationJob): Promise<void> {
  switch (job.job) {
    case "erase":
      return erase(deps, job);
    case "erase-group":
      return deps.groups.erase(job.groupId);
    case "follow-commit":
      return followOrContinue(deps, job);
    case "propose-removals":
      return proposeOrContinue(deps, job);
    case "remove-bots":
      return removeBotsOrContinue(deps, job);
    case "remove-device":
      return removeDeviceOrContinue(deps, job);
    case "remove-not-admitted":
      return removeOrContinue(deps, job);
    case "settle-legal-hold":
      return settleOrContinue(deps, job);
    case "undo-creation":
      return undoCreation(deps, job);
  }
}

/**
 * Removed first, because only this job knows the id of the group, and only the record of a subconversation has that of
 * its group.
 */
async function erase(deps: Deps, { groupId, ...conversation }: Erasure): Promise<void> {
  const { conversations, groups, subconversations } = deps;
  for await (const subconversation of subconversations.ofConversation(conversation.conversationId)) {
    await groups.erase(subconversation.group.groupId);
    await subconversations.erase(subconversation);
  }
  await subconversations.eraseCount(conversation.conversationId);
  if (groupId !== undefined) await groups.erase(groupId);
  await deleteBotsOf(deps, conversation);
  await conversations.eraseRows(conversation);
}

/** The creation revokes this job. If the group was created nevertheless, the job must not remove its members. */
async function undoCreation({ conversations }: Deps, { conversationId, userIds }: Undoing): Promise<void> {
  if ((await conversations.get(conversationId)) === undefined)
    await conversations.eraseMembers(conversationId, userIds);
}

/** A job that runs out of time enqueues a message to continue. */
async function removeOrContinue(deps: Deps, job: Removal): Promise<void> {
  const hasEnded = await removeNotAdmitted(deps, job, startTimeLimit(deps.clock));
  if (!hasEnded) await goOn(deps, job);
}

async function followOrContinue(deps: Deps, job: Following): Promise<void> {
  const isTimeUp = startTimeLimit(deps.clock);
  for await (const { isLast } of followCommit(deps, job)) if (!isLast && isTimeUp()) return goOn(deps, job);
}

async function proposeOrContinue(deps: Deps, job: Proposal): Promise<void> {
  const rest = await proposeRemovals(deps, job, startTimeLimit(deps.clock));
  if (rest !== undefined) return goOn(deps, { ...job, ...rest });
  const { after: _, ...whole } = job;
  const { userIds = [], isSecondLook = false } = job;
  if (userIds.length > 0 && !isSecondLook) await lookAgain(deps, whole);
}

async function removeBotsOrContinue(deps: Deps, job: BotRemoval): Promise<void> {
  const hasEnded = await removeBots(deps, job.conversationId, startTimeLimit(deps.clock));
  if (!hasEnded) await goOn(deps, job);
}

async function removeDeviceOrContinue(deps: Deps, job: DeviceRemoval): Promise<void> {
  const rest = await removeDeviceFromGroups(deps, job, startTimeLimit(deps.clock));
  if (rest !== undefined) return goOn(deps, { ...job, ...rest });
  const { after: _, begun: __, ...whole } = job;
  if (!job.isSecondLook) await lookAgain(deps, whole);
}

async function settleOrContinue(deps: Deps, job: Settlement): Promise<void> {
  const hasEnded = await settleGroup(deps, job.conversationId, startTimeLimit(deps.clock));
  if (!hasEnded) await goOn(deps, job);
}

const lookAgain = (deps: Deps, job: Proposal | DeviceRemoval): Promise<void> =>
  change(deps, async () => ({ messages: [orderSecondLook(deps.outbox, job)] }));

const goOn = (deps: Deps, job: ConversationJob): Promise<void> =>
  change(deps, async () => ({ messages: [orderConversationJob(deps.outbox, job)] }));

/**
 * Remove the bots of a conversation that cannot have any. May be repeated.
 * @returns whether all is done; false when time ran out
 */
async function removeBots(
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
async function deleteBotsOf(
  deps: BotRemovalDeps,
  { conversationId, teamId }: Pick<Conversation, "conversationId" | "teamId">,
): Promise<void> {
  for await (const bot of deps.conversations.botsOf(conversationId))
    await change(deps, () => deleteBots(deps, { teamId }, [bot]));
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  secrets: SecretReader,
  outbox: Outbox,
  accounts: AccountStore,
  bots: BotStore,
  conversations: ConversationStore,
  devices: DeviceStore,
  events: EventPublisher,
  features: FeatureStore,
  groups: GroupStore,
  outboxWorker: OutboxWorker,
  subconversations: SubconversationStore,
});
