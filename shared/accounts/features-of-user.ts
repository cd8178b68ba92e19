import type { Settings } from "#shared/registry/settings.ts";
import type { FeatureName } from "#shared/teams/features/catalogue.ts";
import { defaultFeature, effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature } from "#shared/teams/features/feature.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { Account } from "./account.ts";

type User = Pick<Account, "teamId" | "conferenceCalling">;

/** Read whether a user has a feature: from the team or, without one, by the server's default. */
export async function userHasFeature(
  { features, settings }: { readonly features: FeatureStore; readonly settings: Settings },
  name: FeatureName,
  user: User,
): Promise<boolean> {
  const feature =
    user.teamId === undefined
      ? personalFeature(name, user, settings)
      : effectiveFeature(name, await features.get(user.teamId), settings);
  return feature.status === "enabled";
}

/** The feature of a user without a team. */
export function personalFeature(
  name: FeatureName,
  { conferenceCalling }: Pick<User, "conferenceCalling">,
  settings: Settings,
): Feature {
  const feature = defaultFeature(name, settings);
  if (name !== "conferenceCalling") return feature;
  return { ...feature, status: conferenceCalling ?? settings.conferenceCalling.defaultForNull };
}
