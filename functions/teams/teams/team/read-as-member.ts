import { batchRead } from "#shared/platform/data/batch-read.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/** Read a team, and the acting user as its member, in one round trip. */
export async function readAsMember(
  { dynamo, teams }: Pick<Deps, "dynamo" | "teams">,
  membership: Membership,
): Promise<{ team: Team | undefined; member: Member | undefined }> {
  const { teamId, userId } = membership;
  const keys = [...teams.teamKeys(teamId), ...teams.memberKeys(teamId, [userId])];
  const items = await batchRead(dynamo, [{ tableName: teams.tableName, keys }]);
  return { team: teams.teamOf(teamId, items), member: teams.memberOf(membership, items) };
}
