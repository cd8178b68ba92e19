import { randomUUID } from "node:crypto";
import { type TeamIndexUpdate, teamIndexUpdate, userIndexUpdate } from "#shared/accounts/index-update.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";
import { updateEach } from "./update-each.ts";

/**
 * Members that one message brings up to date. That takes less than a second, so other updates need not wait for a large
 * team, and the messages that follow fit into one transaction.
 */
const membersPerStep = 90;

/**
 * Bring the index entries of the next members of a team up to date. Leaves the other members to another message, and
 * each member for whom this fails to a message of their own. Members who join meanwhile are indexed by joining. A newer
 * pass ends this one, so only one pass runs at a time however often an admin changes a setting.
 */
export async function updateTeam(
  deps: Deps,
  { teamId, progress, orderedAt }: TeamIndexUpdate,
): Promise<void> {
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
  const next =
    last && teamIndexUpdate(outbox, teamId, { progress: { passId, after: last.userId }, orderedAt });
  const retries = failed.map((userId) => userIndexUpdate(outbox, userId, orderedAt));
  const messages = [...retries, ...(next ? [next] : [])];
  await change(deps, async () => ({ messages }));
  if (next === undefined) await searchIndex.endPass(teamId, passId);
}
