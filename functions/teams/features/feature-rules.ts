import { teamIndexUpdate } from "#shared/accounts/index-update.ts";
import type { LegalHoldServiceStore } from "#shared/conversations/legal-hold/legal-hold-service-store.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { supportsDefaultProtocol } from "#shared/registry/feature-configs.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { FeatureName } from "#shared/teams/features/catalogue.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature, TeamFeatures } from "#shared/teams/features/feature.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { TeamStore } from "#shared/teams/team-store.ts";

/** A change of a feature, before it is written. */
interface Proposal<Name extends FeatureName> {
  readonly before: Feature<Name>;
  /** The value that the team has once the feature is unlocked. */
  readonly intended: Feature<Name>;
  /** All features, this one included. */
  readonly team: TeamFeatures;
  readonly settings: Settings;
}

/** The checks and effects of changing a feature. */
interface FeatureRule<Name extends FeatureName> {
  /** @throws ApiError one of the feature's `errors` in the catalogue */
  readonly check?: (proposal: Proposal<Name>) => void;
  /** The change of the team record; the write requires that the team exists. */
  readonly teamWrite?: (teams: TeamStore, change: Outcome<Name>) => Write | undefined;
  /** Further writes of the change. */
  readonly writes?: (legalHoldServices: LegalHoldServiceStore, change: Outcome<Name>) => Write[];
  /** Background jobs that the change requires. */
  readonly messages?: (outbox: Outbox, change: Outcome<Name>) => OutboxMessage[];
}

interface Outcome<Name extends FeatureName> {
  readonly teamId: string;
  readonly before: Feature<Name>;
  readonly after: Feature<Name>;
  /** The features without the effect of locks. */
  readonly unlocked: { readonly before: Feature<Name>; readonly after: Feature<Name> };
}

type FeatureRules = { readonly [Name in FeatureName]?: FeatureRule<Name> };

/** A lock only hides the stored value, which is in force again once the lock ends. */
const isSwitchedOff = ({ unlocked: { before, after } }: Pick<Outcome<FeatureName>, "unlocked">) =>
  before.status === "enabled" && after.status === "disabled";

/** Seconds; below this, clients would ask for the password all the time. */
const leastInactivitySeconds = 30;

const rules: FeatureRules = {
  legalhold: {
    check: ({ settings: { legalhold } }) => {
      if (legalhold === "disabled-permanently") throw new ApiError("legalhold-not-enabled");
      if (legalhold === "whitelist-teams-and-implicit-consent")
        throw new ApiError("legalhold-whitelisted-only");
    },
    teamWrite: (teams, { teamId, unlocked }) =>
      teams.changeLegalHold(teamId, unlocked.after.status === "enabled"),
    writes: (services, outcome) => (isSwitchedOff(outcome) ? [services.beginEnd(outcome.teamId)] : []),
    messages: (outbox, outcome) =>
      isSwitchedOff(outcome) ? [orderTeamJob(outbox, { job: "end-legal-hold", teamId: outcome.teamId })] : [],
  },
  sso: {
    check: ({ before, intended }) => {
      if (before.status === "enabled" && intended.status === "disabled")
        throw new ApiError("not-implemented");
    },
  },
  searchVisibility: {
    teamWrite: (teams, { teamId, after }) =>
      after.status === "disabled" ? teams.update(teamId, { searchVisibility: "standard" }) : undefined,
  },
  searchVisibilityInbound: {
    messages: (outbox, { teamId, before, after }) =>
      before.status === after.status ? [] : [teamIndexUpdate(outbox, teamId)],
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

/** The rule of a feature, if it has one. The rule takes values of this feature only. */
export const ruleOf = (name: FeatureName): FeatureRule<FeatureName> | undefined =>
  rules[name] as FeatureRule<FeatureName> | undefined;
