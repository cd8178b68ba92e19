import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkAdmission } from "#shared/teams/check-admission.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { hasOwnerRights } from "#shared/teams/member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/**
 * Check that a user is an owner of a team.
 *
 * @throws ApiError `not-a-team-member`, `access-denied`
 * @see operation `i-check-team-owner`
 */
export async function checkOwner({ teams }: Deps, membership: Membership): Promise<void> {
  const member = checkMember(await teams.getMember(membership));
  if (!hasOwnerRights(member)) throw new ApiError("access-denied");
}

/**
 * Check that one more user may join a team.
 *
 * @throws ApiError as `checkAdmission` does
 * @see operation `i-check-team-room`
 */
export async function checkRoom({ settings, teams }: Deps, teamId: string): Promise<void> {
  checkAdmission(await teams.get(teamId), settings);
}
