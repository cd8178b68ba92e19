import { currentStatus } from "#shared/accounts/account.ts";
import { personalFeature } from "#shared/accounts/features-of-user.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { FeatureName } from "#shared/teams/features/catalogue.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature } from "#shared/teams/features/feature.ts";
import type { Deps } from "../deps.ts";
import { readTeam } from "../read-team.ts";

/**
 * Read what decides about the features of a user: the team's, or the server's and what is stored on the user.
 *
 * @returns the feature with a name, as the user has it
 * @throws ApiError `not-found`, `no-team`
 * @see operation `get-all-feature-configs-for-user`
 */
export async function getUserFeatures(deps: Deps, userId: string): Promise<(name: FeatureName) => Feature> {
  const { accounts, clock, settings } = deps;
  const account = await accounts.get(userId);
  if (account === undefined || currentStatus(account, clock()) === "deleted") throw new ApiError("not-found");
  if (account.teamId === undefined) return (name) => personalFeature(name, account, settings);
  const { team } = await readTeam(deps, account.teamId, "operator");
  return (name) => effectiveFeature(name, team, settings);
}
