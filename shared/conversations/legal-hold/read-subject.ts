import type { AccountStore } from "#shared/accounts/account-store.ts";
import { legalHoldStatusOf } from "#shared/accounts/legal-hold-status.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { Membership, TeamStore } from "#shared/teams/team-store.ts";
import type { Subject } from "./change-status.ts";

export interface SubjectDeps {
  readonly accounts: AccountStore;
  readonly features: FeatureStore;
  readonly settings: Settings;
  readonly teams: TeamStore;
}

/**
 * Read a member, to show or change their legal hold, and the features of the team, in one round trip.
 *
 * @returns `subject` undefined when the user is not in the team
 */
export async function readSubject(
  { accounts, features, settings, teams }: SubjectDeps,
  { teamId, userId }: Membership,
): Promise<{ subject: Subject | undefined; team: TeamFeatures }> {
  const [team, member, account] = await Promise.all([
    features.get(teamId),
    teams.getMember({ teamId, userId }),
    accounts.get(userId),
  ]);
  if (member === undefined || account?.teamId !== teamId) return { subject: undefined, team };
  const { legalHoldStatus } = member;
  const status = legalHoldStatusOf({ teamId, legalHoldStatus }, team, settings);
  return { subject: { account, member, status }, team };
}
