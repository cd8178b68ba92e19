import { currentStatus } from "#shared/accounts/account.ts";
import { personalFeature } from "#shared/accounts/features-of-user.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { FeatureName } from "#shared/teams/features/catalogue.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature } from "#shared/teams/features/feature.ts";
import type { Deps } from "../deps.ts";
import { readTeam } from "../read-team.ts";

/**
 * Read what decides the features of a user: the team's features, or the server's defaults and what is stored for the
 * user.
 *
 * @returns a function that gives the user's value of a feature
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
