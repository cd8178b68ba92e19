import type { Settings } from "#shared/registry/settings.ts";
import { defaultFeature, effectiveFeature } from "./effective-feature.ts";
import type { Feature, TeamFeatures } from "./feature.ts";

/**
 * Whether a guest can have MLS through a team: the server supports MLS, and users without a team do not have it anyway.
 */
export const mayHaveMlsByTeam = (settings: Settings): boolean =>
  settings.setEnableMLS && defaultFeature("mls", settings).status === "disabled";

/**
 * The feature `mls` of a temporary guest: that of a team in whose conversations the guest is, if the team has MLS. The
 * guest does not learn which members may choose the protocol. Without the feature, the guest's client would create no
 * keys and show the conversation empty.
 */
export function mlsOfGuest(teams: readonly TeamFeatures[], settings: Settings): Feature<"mls"> {
  const initial = defaultFeature("mls", settings);
  if (!mayHaveMlsByTeam(settings)) return initial;
  const features = teams.map((team) => effectiveFeature("mls", team, settings));
  const found = features.find(({ status }) => status === "enabled");
  if (found === undefined) return initial;
  return { ...found, lockStatus: initial.lockStatus, config: { ...found.config, protocolToggleUsers: [] } };
}
