import type { Member } from "#shared/teams/member.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/** Read a team, and the acting user as its member, in one round trip. */
export async function readAsMember(
  { teams }: Pick<Deps, "teams">,
  membership: Membership,
): Promise<{ team: Team | undefined; member: Member | undefined }> {
  const [team, member] = await Promise.all([teams.get(membership.teamId), teams.getMember(membership)]);
  return { team, member };
}
