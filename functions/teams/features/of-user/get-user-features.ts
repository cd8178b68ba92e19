import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { personalFeature } from "#shared/accounts/features-of-user.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { FeatureName } from "#shared/teams/features/catalogue.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature } from "#shared/teams/features/feature.ts";
import { mayHaveMlsByTeam, mlsOfGuest } from "#shared/teams/features/mls-of-guest.ts";
import type { Deps } from "../deps.ts";
import { readTeam } from "../read-team.ts";

/**
 * Read the data that decide the features of a user: the team's features, or the server's defaults and the user's stored
 * ones. A temporary guest has the MLS of a team in whose conversations the guest is.
 *
 * @returns a function that gives the user's value of a feature
 * @throws ApiError `not-found`, `no-team`
 * @see operation `get-all-feature-configs-for-user`
 */
export async function getUserFeatures(deps: Deps, userId: string): Promise<(name: FeatureName) => Feature> {
  const { accounts, clock, settings } = deps;
  const account = await accounts.get(userId);
  if (account === undefined || currentStatus(account, clock()) === "deleted") throw new ApiError("not-found");
  if (account.teamId === undefined) return personalFeatures(deps, account);
  const { team } = await readTeam(deps, account.teamId, "operator");
  return (name) => effectiveFeature(name, team, settings);
}

/** Conversations of a temporary guest that are looked at; most have one. */
const maxConversations = 100;

async function personalFeatures(
  { conversations, features, settings }: Deps,
  account: Account,
): Promise<(name: FeatureName) => Feature> {
  if (account.status !== "ephemeral" || !mayHaveMlsByTeam(settings))
    return (name) => personalFeature(name, account, settings);
  const entries = await conversations.listOfUser(account.userId, { limit: maxConversations });
  const teamIds = new Set(entries.flatMap(({ teamId }) => teamId ?? []));
  const mls = mlsOfGuest(await features.getMany([...teamIds]), settings);
  return (name) => (name === "mls" ? mls : personalFeature(name, account, settings));
}
