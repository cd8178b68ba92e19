import type { Write } from "#shared/platform/data/conditions.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";

/**
 * Find another owner who can log in, and create the conditions that this remains true.
 * @throws LastOwnerError when there is none
 */
export async function requireOtherOwner(
  { accounts, teams }: Pick<Deps, "accounts" | "teams">,
  { teamId, userId }: Pick<Member, "teamId" | "userId">,
): Promise<Write[]> {
  const adminIds: string[] = [];
  for await (const id of teams.admins(teamId)) if (id !== userId) adminIds.push(id);
  const [members, people] = await Promise.all([
    teams.getMembers(teamId, adminIds),
    accounts.getMany(adminIds),
  ]);
  const activeIds = new Set(people.filter(({ status }) => status === "active").map((one) => one.userId));
  const other = members.find((member) => hasOwnerRights(member) && activeIds.has(member.userId));
  if (other === undefined) throw new LastOwnerError(teamId);
  // Unlike elsewhere, an account that is no longer active is no error: another owner may be found.
  const { item } = accounts.requireActive(other.userId);
  return [{ item }, teams.requirePermissions(other)];
}
