import type { Group } from "#shared/provisioning/group.ts";
import type { Deps } from "../deps.ts";

/**
 * Creates groups without the members who have since left the team: they are dropped when a group is read, so that
 * leaving a team need not wait for its groups.
 */
export async function withPresentMembers(
  { teams }: Deps,
  teamId: string,
  groups: readonly Group[],
): Promise<Group[]> {
  const members = await teams.getMembers(
    teamId,
    groups.flatMap(({ memberIds }) => memberIds),
  );
  const present = new Set(members.map(({ userId }) => userId));
  return groups.map((group) => ({ ...group, memberIds: group.memberIds.filter((id) => present.has(id)) }));
}
