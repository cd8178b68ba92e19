import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { supportsDefaultProtocol } from "#shared/registry/feature-configs.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { FeatureName } from "#shared/teams/features/catalogue.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature, TeamFeatures } from "#shared/teams/features/feature.ts";
import { fanoutLimit } from "#shared/teams/team.ts";
import type { Deps } from "./deps.ts";

/** A change of a feature, before it is written. */
interface Proposal<Name extends FeatureName> {
  readonly before: Feature<Name>;
  /** As the team has it once the feature is unlocked. */
  readonly intended: Feature<Name>;
  /** All features, this one included. */
  readonly team: TeamFeatures;
  readonly settings: Settings;
}

/** What is special about a feature (spec heading Checks and effects per feature). */
interface FeatureRule<Name extends FeatureName> {
  /** @throws ApiError one of the feature's `errors` in the catalogue */
  readonly check?: (proposal: Proposal<Name>) => void;
  /** What the change does to the team, under the condition that the team is there; undefined for nothing. */
  readonly teamWrite?: (
    deps: Pick<Deps, "settings" | "teams">,
    change: { readonly teamId: string; readonly after: Feature<Name> },
  ) => Write | undefined;
}

type FeatureRules = { readonly [Name in FeatureName]?: FeatureRule<Name> };

/** Seconds below which clients would ask for the password all the time. */
const leastInactivitySeconds = 30;

const rules: FeatureRules = {
  legalhold: {
    check: ({ settings: { legalhold } }) => {
      if (legalhold === "disabled-permanently") throw new ApiError("legalhold-not-enabled");
      if (legalhold === "whitelist-teams-and-implicit-consent")
        throw new ApiError("legalhold-whitelisted-only");
    },
    teamWrite: ({ settings, teams }, { teamId, after }) =>
      after.status === "enabled" ? teams.requireAtMost(teamId, fanoutLimit(settings)) : undefined,
  },
  sso: {
    check: ({ before, intended }) => {
      if (before.status === "enabled" && intended.status === "disabled")
        throw new ApiError("not-implemented");
    },
  },
  searchVisibility: {
    teamWrite: ({ teams }, { teamId, after }) =>
      after.status === "disabled" ? teams.update(teamId, { searchVisibility: "standard" }) : undefined,
  },
  appLock: {
    check: ({ intended: { config } }) => {
      if (config.inactivityTimeoutSecs < leastInactivitySeconds)
        throw new ApiError("inactivity-timeout-too-low");
    },
  },
  mls: {
    check: ({ intended: { status, config }, team, settings }) => {
      const isNeeded = hasFeature("mlsMigration", team, settings);
      if (!supportsDefaultProtocol(config) || (status === "disabled" && isNeeded))
        throw new ApiError("mls-protocol-mismatch");
    },
  },
  mlsMigration: {
    check: ({ intended: { status }, team, settings }) => {
      if (status === "enabled" && !hasFeature("mls", team, settings))
        throw new ApiError("mls-protocol-mismatch");
    },
  },
  enforceFileDownloadLocation: {
    check: ({ intended: { config } }) => {
      if (config.enforcedDownloadLocation === "") throw new ApiError("empty-download-location");
    },
  },
};

/** What is special about a feature, if anything is. Its rule takes values of this feature only. */
export const ruleOf = (name: FeatureName): FeatureRule<FeatureName> | undefined =>
  rules[name] as FeatureRule<FeatureName> | undefined;
