import type { Settings } from "#shared/registry/settings.ts";
import type { FeatureName } from "./catalogue.ts";
import {
  type Feature,
  type FeatureConfig,
  fromStoredConfig,
  type StoredFeature,
  type TeamFeatures,
} from "./feature.ts";

type Wrapped = {
  [Key in FeatureName & keyof Settings]: Settings[Key] extends { readonly defaults: object } ? Key : never;
}[FeatureName & keyof Settings];

/**
 * The effective feature of a team: its stored fields over the default of the server. While it is locked, only the
 * default counts; the stored fields return once the lock ends.
 */
export function effectiveFeature<Name extends FeatureName>(
  name: Name,
  team: TeamFeatures,
  settings: Settings,
): Feature<Name>;
export function effectiveFeature(name: FeatureName, team: TeamFeatures, settings: Settings): Feature {
  const initial = defaultFeature(name, settings);
  const stored = team.features[name] ?? {};
  if (name === "classifiedDomains") return initial;
  if (name === "exposeInvitationURLsToTeamAdmin") return invitationUrls(team, stored, settings);
  if (name === "legalhold" && settings.legalhold !== "disabled-by-default") {
    const isOn =
      settings.legalhold === "whitelist-teams-and-implicit-consent" && team.isLegalHoldWhitelisted === true;
    return { ...initial, status: isOn ? "enabled" : "disabled" };
  }
  const lockStatus = stored.lockStatus ?? initial.lockStatus;
  if (lockStatus === "locked") return { ...initial, lockStatus };
  const unset = name === "conferenceCalling" ? "enabled" : initial.status;
  const config = initial.config && { ...initial.config, ...fromStoredConfig(stored.config) };
  return { status: stored.status ?? unset, lockStatus, config: config as FeatureConfig<FeatureName> };
}

/** Whether the feature of a team is enabled. */
export const hasFeature = (name: FeatureName, team: TeamFeatures, settings: Settings): boolean =>
  effectiveFeature(name, team, settings).status === "enabled";

/** The feature of a team that has stored nothing, and of users without a team: the default of the server. */
export function defaultFeature<Name extends FeatureName>(name: Name, settings: Settings): Feature<Name>;
export function defaultFeature(name: FeatureName, settings: Settings): Feature {
  switch (name) {
    case "legalhold":
    case "exposeInvitationURLsToTeamAdmin":
      return {
        status: "disabled",
        lockStatus: name === "legalhold" ? "unlocked" : "locked",
        config: undefined,
      };
    case "sso":
      return byDefault(settings.sso);
    case "searchVisibility":
      return byDefault(settings.teamSearchVisibility);
    case "classifiedDomains":
      return { lockStatus: "unlocked", ...settings.classifiedDomains };
    case "validateSAMLemails":
      return withConfig(settings.validateSAMLEmails ?? settings.validateSAMLemails);
    default:
      return withConfig(settings[name satisfies Wrapped]);
  }
}

const withConfig = ({ defaults }: Settings[Wrapped]): Feature => ({ config: undefined, ...defaults });

const byDefault = (word: Settings["sso"]): Feature => ({
  status: word === "enabled-by-default" ? "enabled" : "disabled",
  lockStatus: "unlocked",
  config: undefined,
});

/** The list of teams in the settings acts as the lock. */
const invitationUrls = (
  { teamId }: TeamFeatures,
  { status = "disabled" }: StoredFeature,
  { exposeInvitationURLsTeamAllowlist: allowed }: Settings,
): Feature =>
  allowed.includes(teamId)
    ? { status, lockStatus: "unlocked", config: undefined }
    : { status: "disabled", lockStatus: "locked", config: undefined };
