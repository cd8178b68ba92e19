import {
  type ConversationJob,
  conversationJob,
  orderConversationJob,
} from "#shared/conversations/conversation-job.ts";
import { removeNotAdmitted } from "#shared/conversations/remove-not-admitted.ts";
import { settleGroup } from "#shared/legal-hold/settle-group.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { startTimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Deps } from "./deps.ts";

type Removal = Extract<ConversationJob, { job: "remove-not-admitted" }>;
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
      return deps.conversations.eraseRows(job);
    case "remove-not-admitted":
      return removeOrGoOn(deps, job);
    case "settle-legal-hold":
      return settleOrGoOn(deps, job);
    case "undo-creation":
      return undoCreation(deps, job);
  }
}

/** The creation revokes this job. If the group exists all the same, the job must not cost it its members. */
async function undoCreation({ conversations }: Deps, { conversationId, userIds }: Undoing): Promise<void> {
  if ((await conversations.get(conversationId)) === undefined)
    await conversations.eraseMembers(conversationId, userIds);
}

/** A job that runs out of time enqueues a message to continue. */
async function removeOrGoOn(deps: Deps, job: Removal): Promise<void> {
  const hasEnded = await removeNotAdmitted(deps, job, startTimeLimit(deps.clock));
  if (!hasEnded) await goOn(deps, job);
}

async function settleOrGoOn(deps: Deps, job: Settlement): Promise<void> {
  const hasEnded = await settleGroup(deps, job.conversationId, startTimeLimit(deps.clock));
  if (!hasEnded) await goOn(deps, job);
}

const goOn = (deps: Deps, job: ConversationJob): Promise<void> =>
  change(deps, async () => ({ messages: [orderConversationJob(deps.outbox, job)] }));
