import { isImplicit, legalHoldStatusOf } from "#shared/accounts/legal-hold-status.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Deps } from "../deps.ts";

/** Members of a team with their visible legal hold statuses. Reads only where consent can be implicit. */
export async function withShownStatus(
  { features, settings }: Deps,
  teamId: string,
  members: readonly Member[],
): Promise<readonly Member[]> {
  if (!isImplicit(settings) || members.length === 0) return members;
  const team = await features.get(teamId);
  return members.map((member) => ({ ...member, legalHoldStatus: legalHoldStatusOf(member, team, settings) }));
}
