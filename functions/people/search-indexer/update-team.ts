import { teamIndexUpdate, userIndexUpdate } from "#shared/accounts/index-update.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";
import { updateIndex } from "./update-index.ts";

/**
 * Members that one message brings up to date. It takes less than a second, so that other updates need not wait for a
 * large team, and one transaction holds the messages that follow.
 */
const membersPerStep = 90;
/** Members that are brought up to date concurrently. */
const concurrentUpdates = 10;

/**
 * Bring the index entries of the next members of a team up to date, and leave the others to a further message, and each
 * member for whom this fails to a message of their own. Whoever joins meanwhile is indexed for that reason.
 *
 * @param step.after the member up to whom earlier messages have come
 */
export async function updateTeam(
  deps: Deps,
  { teamId, after }: { teamId: string; after?: string },
): Promise<void> {
  const { log, outbox, teams } = deps;
  const members = await teams.pageOfMembers(teamId, { after, limit: membersPerStep });
  const failed: string[] = [];
  const waiting = members.values();
  const work = async () => {
    for (const { userId } of waiting) {
      await updateIndex(deps, userId).catch((error: Error) => {
        log.warn("member-not-indexed", { teamId, userId, error });
        failed.push(userId);
      });
    }
  };
  await Promise.all(Array.from({ length: concurrentUpdates }, work));
  const last = members[membersPerStep - 1];
  const messages = [
    ...failed.map((userId) => userIndexUpdate(outbox, userId)),
    ...(last === undefined ? [] : [teamIndexUpdate(outbox, teamId, last.userId)]),
  ];
  await change(deps, async () => ({ messages }));
}
