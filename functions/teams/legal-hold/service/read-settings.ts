import type { LegalHoldService } from "#shared/legal-hold/legal-hold-service.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
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
  { dynamo, features, legalHoldServices, settings, teams }: Deps,
  membership: Membership,
): Promise<Settings> {
  const { teamId, userId } = membership;
  const keys = [
    ...teams.memberKeys(teamId, [userId]),
    ...features.featureKeys(teamId),
    ...legalHoldServices.keys(teamId),
  ];
  const items = await batchRead(dynamo, [{ tableName: teams.tableName, keys }]);
  const teamFeatures = features.featuresOf(teamId, items);
  return {
    member: teams.memberOf(membership, items),
    features: teamFeatures,
    hasLegalHold: hasFeature("legalhold", teamFeatures, settings),
    service: legalHoldServices.serviceOf(teamId, items),
    isEnding: legalHoldServices.isEnding(teamId, items),
  };
}
