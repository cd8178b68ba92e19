import { batchRead } from "#shared/platform/data/batch-read.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { isTeamAdmin, type Member } from "#shared/teams/member.ts";
import type { Deps } from "./deps.ts";

/** What `checkDomainAdmin` needs to know about a user who acts for a team. */
export interface Candidate {
  /** Undefined unless the user is in the team. */
  readonly member: Member | undefined;
  readonly isSwitchedOn: boolean;
}

/** Read what `checkDomainAdmin` needs. @param teamId absent: the team that the user is in */
export async function readCandidate(
  { accounts, dynamo, features, settings, teams }: Deps,
  userId: string,
  teamId?: string,
): Promise<Candidate> {
  const team = teamId ?? (await accounts.get(userId))?.teamId;
  if (team === undefined) return { member: undefined, isSwitchedOn: false };
  const keys = [...teams.memberKeys(team, [userId]), ...features.featureKeys(team)];
  const items = await batchRead(dynamo, [{ tableName: teams.tableName, keys }]);
  return {
    member: teams.memberOf({ teamId: team, userId }, items),
    isSwitchedOn: hasFeature("domainRegistration", features.featuresOf(team, items), settings),
  };
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
