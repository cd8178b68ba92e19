import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { personalFeature } from "#shared/accounts/features-of-user.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers, Input } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { FeatureStatus } from "#shared/registry/feature-configs.ts";
import {
  byFeature,
  byOperation,
  type FeatureName,
  operationOf,
  singleFeatures,
} from "#shared/teams/features/catalogue.ts";
import { defaultFeature, effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature } from "#shared/teams/features/feature.ts";
import { toFeatureView } from "#shared/teams/features/feature-view.ts";
import { mayHaveMlsByTeam, mlsOfGuest } from "#shared/teams/features/mls-of-guest.ts";
import type { Deps } from "../deps.ts";
import { readTeam } from "../read-team.ts";
import type { routes, SingleRoute } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const allOf = async (userId: string) => {
    const featureOf = await getUserFeatures(deps, userId);
    return { body: byFeature((name) => toFeatureView(featureOf(name))) };
  };

  const readOwn =
    (name: FeatureName) =>
    async ({ actor }: Input<SingleRoute>) => {
      const featureOf = await getUserFeatures(deps, actor.userId);
      return { body: toFeatureView(featureOf(name)) };
    };

  return {
    ...byOperation(singleFeatures.map((name) => [`get-own_${operationOf(name)}`, readOwn(name)] as const)),

    "get-all-feature-configs-for-user": ({ actor }) => allOf(actor.userId),

    "i-get-feature-configs": ({ query }) =>
      query.user_id === undefined
        ? { body: byFeature((name) => toFeatureView(defaultFeature(name, deps.settings))) }
        : allOf(query.user_id),

    "i-get-user-conference-calling": async ({ params }) => ({
      body: { status: await getConferenceCalling(deps, params.uid) },
    }),

    "i-put-user-conference-calling": async ({ params, body: { status } }) => {
      await overrideConferenceCalling(deps, params.uid, status);
      return { body: { status } };
    },

    "i-delete-user-conference-calling": async ({ params }) => {
      await overrideConferenceCalling(deps, params.uid, undefined);
      return {};
    },
  };
}

/**
 * Read the data that decide the features of a user: the team's features, or the server's defaults and the user's stored
 * ones. A temporary guest has the MLS of a team in whose conversations the guest is.
 *
 * @returns a function that gives the user's value of a feature
 * @throws ApiError `not-found`, `no-team`
 * @see operation `get-all-feature-configs-for-user`
 */
async function getUserFeatures(deps: Deps, userId: string): Promise<(name: FeatureName) => Feature> {
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

/** The account of a user. @throws ApiError `not-found` */
async function existingAccount({ accounts, clock }: Deps, userId: string): Promise<Account> {
  const account = await accounts.get(userId);
  if (account === undefined || currentStatus(account, clock()) === "deleted") throw new ApiError("not-found");
  return account;
}

/**
 * Get whether a user has conference calls without a team.
 * @throws ApiError `not-found`
 * @see operation `i-get-user-conference-calling`
 */
async function getConferenceCalling(deps: Deps, userId: string): Promise<FeatureStatus> {
  const { conferenceCalling } = await existingAccount(deps, userId);
  return conferenceCalling ?? deps.settings.conferenceCalling.defaultForNull;
}

/**
 * Decide whether a user has conference calls without a team; undefined stands for the server's default.
 * @throws ApiError `not-found`
 * @see operations `i-put-user-conference-calling`, `i-delete-user-conference-calling`
 */
async function overrideConferenceCalling(
  deps: Deps,
  userId: string,
  conferenceCalling: FeatureStatus | undefined,
): Promise<void> {
  await change(deps, async () => {
    const account = await existingAccount(deps, userId);
    if (account.conferenceCalling === conferenceCalling) return undefined;
    return { writes: deps.accounts.save(account, { ...account, conferenceCalling }) };
  });
}
