import type { Settings } from "#shared/registry/settings.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Account } from "./account.ts";

export type LegalHoldStatus = Member["legalHoldStatus"];

/** Whether a team on the operator's list counts as its members' consent. */
export const isImplicit = ({ legalhold }: Settings) => legalhold === "whitelist-teams-and-implicit-consent";

/**
 * The visible status of a user: in a team on the operator's list, every member counts as having consented. A user
 * without a team has never consented.
 *
 * @param team features of the user's team; needed only where consent can be implicit
 */
export function legalHoldStatusOf(
  { teamId, legalHoldStatus = "no_consent" }: Pick<Account, "teamId" | "legalHoldStatus">,
  team: TeamFeatures | undefined,
  settings: Settings,
): LegalHoldStatus {
  if (teamId === undefined) return "no_consent";
  const isConsenting = isImplicit(settings) && team !== undefined && hasFeature("legalhold", team, settings);
  return legalHoldStatus === "no_consent" && isConsenting ? "disabled" : legalHoldStatus;
}

/** Whether a legal hold device is requested or present. */
export const isOngoing = (status: LegalHoldStatus | undefined): boolean =>
  status === "pending" || status === "enabled";

export const hasConsented = (status: LegalHoldStatus): boolean => status !== "no_consent";

/** Whether one of the users is under legal hold and another has not consented. */
export function isConflict(statuses: Iterable<LegalHoldStatus>): boolean {
  const found = new Set(statuses);
  return found.has("enabled") && found.has("no_consent");
}

/** Statuses by user id of accounts already read. Reads features only where consent can be implicit. */
export async function readLegalHoldStatuses(
  { features, settings }: { readonly features: FeatureStore; readonly settings: Settings },
  accounts: readonly Account[],
): Promise<Map<string, LegalHoldStatus>> {
  const teamIds = isImplicit(settings)
    ? [...new Set(accounts.flatMap(({ teamId }) => (teamId === undefined ? [] : [teamId])))]
    : [];
  const teams = new Map((await features.getMany(teamIds)).map((team) => [team.teamId, team]));
  return new Map(
    accounts.map((account) => [
      account.userId,
      legalHoldStatusOf(account, teams.get(account.teamId ?? ""), settings),
    ]),
  );
}
