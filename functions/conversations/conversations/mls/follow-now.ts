import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { type CommitRest, followCommit, type GroupMembers } from "#shared/conversations/follow-commit.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { RevocableMessage } from "#shared/platform/messaging/outbox.ts";
import type { Deps } from "../deps.ts";
import type { MemberChange } from "./commit-members.ts";

/** How long a request adds the users who do not fit into the commit's transaction. */
const followSeconds = 10;

/**
 * Make the remaining users members before the commit is answered: the answer names them, and otherwise they would be
 * told of a conversation that they cannot read. The job does whatever fails or takes too long.
 *
 * @param job starts a minute later unless it is revoked
 * @returns who has joined and left
 */
export async function followNow(
  deps: Deps,
  { rest, known, job }: { rest: CommitRest; known: GroupMembers; job: RevocableMessage },
): Promise<MemberChange> {
  const { clock, dynamo, log, outbox } = deps;
  const until = clock() + followSeconds * 1000;
  const joining: string[] = [];
  const leaving: string[] = [];
  try {
    for await (const part of followCommit(deps, rest, { known, atEnd: [job.revoke] })) {
      joining.push(...part.joined);
      leaving.push(...part.left);
      if (part.isLast || clock() < until) continue;
      const sooner = orderConversationJob(outbox, { job: "follow-commit", ...rest });
      await change(deps, async () => ({ writes: [job.revoke], messages: [sooner] }));
      break;
    }
    await job.parts?.discard(dynamo);
  } catch (error) {
    log.warn("commit-not-followed", { groupId: rest.groupId, error: error as Error });
  }
  return { joining, leaving };
}
