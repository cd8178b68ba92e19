import type { Settings } from "#shared/registry/settings.ts";
import { defaultFeature, effectiveFeature } from "./effective-feature.ts";
import type { Feature, TeamFeatures } from "./feature.ts";

/** Whether a guest may have MLS by a team: the server knows it, but users without a team do not have it anyway. */
export const mayHaveMlsByTeam = (settings: Settings): boolean =>
  settings.setEnableMLS && defaultFeature("mls", settings).status === "disabled";

/**
 * The feature `mls` of a temporary guest: that of a team in whose conversations the guest is, if the team has MLS. Which of
 * its members choose the protocol is not the guest's to know.
 */
export function mlsOfGuest(teams: readonly TeamFeatures[], settings: Settings): Feature<"mls"> {
  const initial = defaultFeature("mls", settings);
  if (!mayHaveMlsByTeam(settings)) return initial;
  const features = teams.map((team) => effectiveFeature("mls", team, settings));
  const found = features.find(({ status }) => status === "enabled");
  if (found === undefined) return initial;
  return { ...found, lockStatus: initial.lockStatus, config: { ...found.config, protocolToggleUsers: [] } };
}
