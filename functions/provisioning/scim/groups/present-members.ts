import type { Group } from "#shared/provisioning/group.ts";
import type { Deps } from "../deps.ts";

/**
 * Creates groups without those who have left the team since the directory set the members: what a group has is looked
 * at when somebody reads it, so that nobody who leaves has to wait for groups.
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
