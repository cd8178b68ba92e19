import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/** The legal hold settings of a team, with one of its members. */
interface Settings {
  /** Undefined for a user outside the team. */
  readonly member: Member | undefined;
  readonly features: TeamFeatures;
  readonly hasLegalHold: boolean;
  readonly service: LegalHoldService | undefined;
  /** Whether legal hold is being ended for the members of the team. */
  readonly isEnding: boolean;
}

/** Read the legal hold settings of a team, for one of its members, in one round trip. */
export async function readSettings(
  { features, legalHoldServices, settings, teams }: Deps,
  membership: Membership,
): Promise<Settings> {
  const { teamId } = membership;
  const [member, teamFeatures, service, isEnding] = await Promise.all([
    teams.getMember(membership),
    features.get(teamId),
    legalHoldServices.get(teamId),
    legalHoldServices.isEnding(teamId),
  ]);
  const hasLegalHold = hasFeature("legalhold", teamFeatures, settings);
  return { member, features: teamFeatures, hasLegalHold, service, isEnding };
}
