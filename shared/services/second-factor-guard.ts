import type { Account } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Requirement } from "#shared/platform/http/requirement.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { defaultFeature, effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";

/**
 * Services cannot be used where a second factor is required, because neither providers nor bots have one. This form is
 * for calls in which no user's team matters: the server's default decides.
 */
export const noSecondFactorByDefault: Requirement = {
  errors: ["second-factor-required"],
  check: ({ settings }) => refuseSecondFactor(undefined, settings),
};

/**
 * The form for calls in which a team matters, as the first check of the use case, which reads the features together
 * with its other data.
 *
 * @param team undefined: users and conversations without a team, for which the server's default decides
 * @throws ApiError `second-factor-required`
 */
export function refuseSecondFactor(team: TeamFeatures | undefined, settings: Settings): void {
  const name = "sndFactorPasswordChallenge";
  const feature =
    team === undefined ? defaultFeature(name, settings) : effectiveFeature(name, team, settings);
  if (feature.status === "enabled") throw new ApiError("second-factor-required");
}

/**
 * The same for a user, or a conversation, of which only the team is known; reads the team's features if there is a team.
 * @throws ApiError `second-factor-required`
 */
export async function refuseSecondFactorOf(
  { features, settings }: { readonly features: FeatureStore; readonly settings: Settings },
  owner: Pick<Account, "teamId"> | undefined,
): Promise<void> {
  refuseSecondFactor(owner?.teamId === undefined ? undefined : await features.get(owner.teamId), settings);
}
