import { ApiError } from "#shared/platform/http/api-error.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { isTeamAdmin, type Member } from "#shared/teams/member.ts";
import type { Deps } from "./deps.ts";

/** The data that `checkDomainAdmin` needs about a user who acts for a team. */
export interface Candidate {
  /** Undefined unless the user is in the team. */
  readonly member: Member | undefined;
  readonly isSwitchedOn: boolean;
}

/** Read the data that `checkDomainAdmin` needs. @param teamId absent: the team that the user is in */
export async function readCandidate(
  { accounts, features, settings, teams }: Deps,
  userId: string,
  teamId?: string,
): Promise<Candidate> {
  const team = teamId ?? (await accounts.get(userId))?.teamId;
  if (team === undefined) return { member: undefined, isSwitchedOn: false };
  const [member, ofTeam] = await Promise.all([teams.getMember({ teamId: team, userId }), features.get(team)]);
  return { member, isSwitchedOn: hasFeature("domainRegistration", ofTeam, settings) };
}

/**
 * Check that a user may manage the domains of a team. The order is part of the interface.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`
 */
export function checkDomainAdmin({ member, isSwitchedOn }: Candidate): Member {
  if (member === undefined) throw new ApiError("operation-forbidden-for-domain-registration-state");
  if (!isSwitchedOn) throw new ApiError("domain-registration-update-payment-required");
  if (!isTeamAdmin(member)) throw new ApiError("operation-forbidden-for-domain-registration-state");
  return member;
}
