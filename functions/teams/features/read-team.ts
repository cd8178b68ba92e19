import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember, type Need } from "#shared/teams/check-member.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Member } from "#shared/teams/member.ts";
import { isPresent } from "#shared/teams/team.ts";
import type { Deps } from "./deps.ts";

/** The caller: the operator, or a member of the team who meets the requirement, if any. */
export type Caller = { readonly userId: string; readonly need?: Need } | "operator";

/**
 * Read the stored features of a team and check the caller, in one round trip.
 *
 * @returns also the caller as a member, because a change must depend on the member's permissions; undefined for the
 *   operator
 * @throws ApiError `not-a-team-member`, `operation-denied`; `no-team` when the team does not exist or is being deleted
 */
export async function readTeam(
  { features, teams }: Pick<Deps, "features" | "teams">,
  teamId: string,
  caller: Caller,
): Promise<{ team: TeamFeatures; member: Member | undefined }> {
  const [team, stored, found] = await Promise.all([
    teams.get(teamId),
    features.get(teamId),
    caller === "operator" ? undefined : teams.getMember({ teamId, userId: caller.userId }),
  ]);
  const member = caller === "operator" ? undefined : checkMember(found, caller.need);
  if (team === undefined || !isPresent(team)) throw new ApiError("no-team");
  return { team: stored, member };
}
