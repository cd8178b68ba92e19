import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import { legalHoldStatusOf } from "#shared/accounts/legal-hold-status.ts";
import { batchRead, type TableKeys } from "#shared/platform/data/batch-read.ts";
import type { Item } from "#shared/platform/data/table.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { Membership, TeamStore } from "#shared/teams/team-store.ts";
import type { Subject } from "./change-status.ts";

export interface SubjectDeps {
  readonly accounts: AccountStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly features: FeatureStore;
  readonly settings: Settings;
  readonly teams: TeamStore;
}

/**
 * Read a member, to show or change their legal hold, and the features of the team, in one round trip.
 *
 * @param others further keys to read in the same round trip, found among `items`; no key twice
 * @returns `subject` undefined when the user is not in the team
 */
export async function readSubject(
  { accounts, dynamo, features, settings, teams }: SubjectDeps,
  { teamId, userId }: Membership,
  others: readonly TableKeys[] = [],
): Promise<{ subject: Subject | undefined; team: TeamFeatures; items: Item[] }> {
  const items = await batchRead(dynamo, [
    {
      tableName: teams.tableName,
      keys: [...teams.memberKeys(teamId, [userId]), ...features.featureKeys(teamId)],
    },
    { tableName: accounts.tableName, keys: accounts.accountKeys([userId]) },
    ...others,
  ]);
  const team = features.featuresOf(teamId, items);
  const member = teams.memberOf({ teamId, userId }, items);
  const account = accounts.accountOf(userId, items);
  if (member === undefined || account?.teamId !== teamId) return { subject: undefined, team, items };
  const { legalHoldStatus } = member;
  const status = legalHoldStatusOf({ teamId, legalHoldStatus }, team, settings);
  return { subject: { account, member, status }, team, items };
}
