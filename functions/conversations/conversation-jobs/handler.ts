import { type ConversationJob, conversationJob } from "#shared/conversations/conversation-job.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { Deps } from "./deps.ts";

/** Handle messages from the queue `conversation-jobs`. */
export const createHandler = (deps: Deps) =>
  createLeasedWorker(deps.outboxWorker, ({ payload }) => run(deps, conversationJob.parse(payload)), {
    ...deps,
    queue: "conversation-jobs",
  });

function run({ conversations }: Deps, job: ConversationJob): Promise<void> {
  switch (job.job) {
    case "erase":
      return conversations.eraseRows(job);
    case "undo-creation":
      return conversations.eraseMembers(job.conversationId, job.userIds);
  }
}
