import type * as z from "zod";
import type { ErrorName } from "#shared/registry/errors.ts";
import * as configs from "#shared/registry/feature-configs.ts";

/** A feature's part of the interface; its defaults are settings, in `shared/registry/settings/features.ts`. */
interface FeatureSpec {
  /** Name of its published schemas. */
  readonly schema: string;
  /** End of the ids of its published operations. */
  readonly operation: string;
  readonly config?: z.ZodType<Record<string, unknown>, Record<string, unknown>>;
  /** Whether requests may omit the configuration, which then stays as it is. */
  readonly isConfigOptional?: boolean;
  /** Whether admins of the team can change it, while it is unlocked. */
  readonly isPublic: boolean;
  /** What the operator can change for each team through the internal API. */
  readonly operator: "value" | "value-and-lock" | "nothing";
  /** Whether versions 0 and 1 serve it at `/feature-configs/<name>`. */
  readonly wasSingle?: boolean;
  /** Errors of a change, besides rights and the lock. */
  readonly errors?: readonly ErrorName[];
}

/** Every team feature, by its name in paths and answers (spec heading Team features: catalogue). */
export const featureCatalogue = {
  legalhold: {
    schema: "LegalholdConfig",
    operation: "LegalholdConfig",
    isPublic: true,
    operator: "value",
    wasSingle: true,
    errors: ["legalhold-not-enabled", "legalhold-whitelisted-only", "too-large-team-for-legalhold"],
  },
  sso: {
    schema: "SSOConfig",
    operation: "SSOConfig",
    isPublic: false,
    operator: "value",
    wasSingle: true,
    errors: ["not-implemented"],
  },
  searchVisibility: {
    schema: "SearchVisibilityAvailableConfig",
    operation: "SearchVisibilityAvailableConfig",
    isPublic: true,
    operator: "value",
    wasSingle: true,
  },
  searchVisibilityInbound: {
    schema: "SearchVisibilityInboundConfig",
    operation: "SearchVisibilityInboundConfig",
    isPublic: true,
    operator: "value",
  },
  validateSAMLemails: {
    schema: "ValidateSAMLEmailsConfig",
    operation: "ValidateSAMLEmailsConfig",
    isPublic: false,
    operator: "value",
    wasSingle: true,
  },
  digitalSignatures: {
    schema: "DigitalSignaturesConfig",
    operation: "DigitalSignaturesConfig",
    isPublic: false,
    operator: "value",
    wasSingle: true,
  },
  appLock: {
    schema: "AppLockConfig",
    operation: "AppLockConfigB",
    config: configs.appLockConfig,
    isPublic: true,
    operator: "value",
    wasSingle: true,
    errors: ["inactivity-timeout-too-low"],
  },
  fileSharing: {
    schema: "FileSharingConfig",
    operation: "FileSharingConfig",
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  classifiedDomains: {
    schema: "ClassifiedDomainsConfig",
    operation: "ClassifiedDomainsConfig",
    config: configs.classifiedDomainsConfig,
    isPublic: false,
    operator: "nothing",
    wasSingle: true,
  },
  conferenceCalling: {
    schema: "ConferenceCallingConfig",
    operation: "ConferenceCallingConfigB",
    config: configs.conferenceCallingConfig,
    isConfigOptional: true,
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  selfDeletingMessages: {
    schema: "SelfDeletingMessagesConfig",
    operation: "SelfDeletingMessagesConfigB",
    config: configs.selfDeletingMessagesConfig,
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  conversationGuestLinks: {
    schema: "GuestLinksConfig",
    operation: "GuestLinksConfig",
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  sndFactorPasswordChallenge: {
    schema: "SndFactorPasswordChallengeConfig",
    operation: "SndFactorPasswordChallengeConfig",
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  mls: {
    schema: "MLSConfig",
    operation: "MLSConfigB",
    config: configs.mlsConfig,
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
    errors: ["mls-protocol-mismatch"],
  },
  exposeInvitationURLsToTeamAdmin: {
    schema: "ExposeInvitationURLsToTeamAdminConfig",
    operation: "ExposeInvitationURLsToTeamAdminConfig",
    isPublic: true,
    operator: "value",
  },
  outlookCalIntegration: {
    schema: "OutlookCalIntegrationConfig",
    operation: "OutlookCalIntegrationConfig",
    isPublic: true,
    operator: "value-and-lock",
  },
  mlsE2EId: {
    schema: "MlsE2EIdConfig",
    operation: "MlsE2EIdConfigB",
    config: configs.mlsE2EIdConfig,
    isPublic: true,
    operator: "value-and-lock",
    errors: ["mls-e2eid-missing-crl-proxy"],
  },
  mlsMigration: {
    schema: "MlsMigration",
    operation: "MlsMigrationConfigB",
    config: configs.mlsMigrationConfig,
    isPublic: true,
    operator: "value-and-lock",
    errors: ["mls-protocol-mismatch"],
  },
  enforceFileDownloadLocation: {
    schema: "EnforceFileDownloadLocation",
    operation: "EnforceFileDownloadLocationConfigB",
    config: configs.enforceFileDownloadLocationConfig,
    isPublic: true,
    operator: "value-and-lock",
    errors: ["empty-download-location"],
  },
  limitedEventFanout: {
    schema: "LimitedEventFanoutConfig",
    operation: "LimitedEventFanoutConfig",
    isPublic: false,
    operator: "value",
  },
  domainRegistration: {
    schema: "DomainRegistrationConfig",
    operation: "DomainRegistrationConfig",
    isPublic: false,
    operator: "value-and-lock",
  },
  channels: {
    schema: "ChannelsConfig",
    operation: "ChannelsConfigB",
    config: configs.channelsConfig,
    isPublic: true,
    operator: "value-and-lock",
  },
  cells: { schema: "CellsConfig", operation: "CellsConfig", isPublic: true, operator: "value-and-lock" },
} as const satisfies Readonly<Record<string, FeatureSpec>>;

type Catalogue = typeof featureCatalogue;
export type FeatureName = keyof Catalogue;

/** Names of all features, in the order of the interface. */
export const featureNames = Object.keys(featureCatalogue) as FeatureName[];

export const featureSpec = (name: FeatureName): FeatureSpec => featureCatalogue[name];

/** End of the ids of a feature's operations. */
export const operationOf = <Name extends FeatureName>(name: Name): Catalogue[Name]["operation"] =>
  featureCatalogue[name].operation;

type NamesWith<Spec> = {
  [Name in FeatureName]: Catalogue[Name] extends Spec ? Name : never;
}[FeatureName];

/** Features that admins of a team can change. */
export const publicFeatures = featureNames.filter(
  (name): name is NamesWith<{ isPublic: true }> => featureSpec(name).isPublic,
);

/** Features that the operator can change for a team. */
export const operatorFeatures = featureNames.filter(
  (name): name is Exclude<FeatureName, NamesWith<{ operator: "nothing" }>> =>
    featureSpec(name).operator !== "nothing",
);

/** Features that the operator can lock and unlock by calls of their own. */
export const lockableFeatures = featureNames.filter(
  (name): name is NamesWith<{ operator: "value-and-lock" }> =>
    featureSpec(name).operator === "value-and-lock",
);

/** Features that versions 0 and 1 serve at `/feature-configs/<name>`. */
export const singleFeatures = featureNames.filter(
  (name): name is NamesWith<{ wasSingle: true }> => featureSpec(name).wasSingle === true,
);

/** Creates a table with a row per feature, by operation id. */
export const byOperation = <Id extends string, Row>(rows: readonly (readonly [Id, Row])[]) =>
  Object.fromEntries(rows) as Readonly<Record<Id, Row>>;

/** Creates a value for each feature, by name. */
export const byFeature = <Value>(make: (name: FeatureName) => Value) =>
  Object.fromEntries(featureNames.map((name) => [name, make(name)])) as Readonly<Record<FeatureName, Value>>;
