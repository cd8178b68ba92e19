import { randomUUID } from "node:crypto";
import { type TeamIndexUpdate, teamIndexUpdate, userIndexUpdate } from "#shared/accounts/index-update.ts";
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
 * member for whom this fails to a message of their own. Whoever joins meanwhile is indexed for that reason. A pass through
 * the team that has been overtaken by another one ends: so however often an administrator changes a setting, it costs one
 * pass at a time.
 */
export async function updateTeam(deps: Deps, { teamId, progress }: TeamIndexUpdate): Promise<void> {
  const { outbox, searchIndex, teams } = deps;
  const { passId = randomUUID(), after } = progress ?? {};
  if (after === undefined) await searchIndex.beginPass(teamId, passId);
  else if (!(await searchIndex.isNewestPass(teamId, passId))) return;
  const members = await teams.pageOfMembers(teamId, { after, limit: membersPerStep });
  const failed = await updateEach(
    deps,
    members.map(({ userId }) => userId),
  );
  const last = members[membersPerStep - 1];
  const next = last && teamIndexUpdate(outbox, teamId, { passId, after: last.userId });
  const messages = [...failed.map((userId) => userIndexUpdate(outbox, userId)), ...(next ? [next] : [])];
  await change(deps, async () => ({ messages }));
  if (next === undefined) await searchIndex.endPass(teamId, passId);
}

/** @returns the users for whom it failed */
async function updateEach(deps: Deps, userIds: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  const waiting = userIds.values();
  const work = async () => {
    for (const userId of waiting) {
      await updateIndex(deps, userId).catch((error: Error) => {
        deps.log.warn("member-not-indexed", { userId, error });
        failed.push(userId);
      });
    }
  };
  await Promise.all(Array.from({ length: concurrentUpdates }, work));
  return failed;
}
