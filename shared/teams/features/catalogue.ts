import type * as z from "zod";
import type { ErrorName } from "#shared/registry/errors.ts";
import * as configs from "#shared/registry/feature-configs.ts";

/** A feature's part of the interface; its defaults are settings, in `shared/registry/settings/features.ts`. */
interface FeatureSpec {
  /** Name of its published schemas. */
  readonly schema: string;
  /** End of the ids of its published operations. */
  readonly operation: string;
  /** Its effect, for the API document. */
  readonly meaning: string;
  readonly config?: z.ZodType<Record<string, unknown>, Record<string, unknown>>;
  /** Whether requests may omit the configuration, which then stays as it is. */
  readonly isConfigOptional?: boolean;
  /** Whether admins of the team can change it, while it is unlocked. */
  readonly isPublic: boolean;
  /** Parts that the operator can change for each team through the internal API. */
  readonly operator: "value" | "value-and-lock" | "nothing";
  /** Whether versions 0 and 1 serve it at `/feature-configs/<name>`. */
  readonly wasSingle?: boolean;
  /** Errors of a change, besides rights and the lock. */
  readonly errors?: readonly ErrorName[];
}

/** Every team feature, by its name in paths and answers. */
export const featureCatalogue = {
  legalhold: {
    schema: "LegalholdConfig",
    operation: "LegalholdConfig",
    meaning:
      "Whether members can be placed under legal hold, so that a service of the team reads what they write. Switching it off ends the legal hold of all members.",
    isPublic: true,
    operator: "value",
    wasSingle: true,
    errors: ["legalhold-not-enabled", "legalhold-whitelisted-only", "too-large-team-for-legalhold"],
  },
  sso: {
    schema: "SSOConfig",
    operation: "SSOConfig",
    meaning:
      "Whether the team may have identity providers, by which its members log in. Once enabled, it stays enabled.",
    isPublic: false,
    operator: "value",
    wasSingle: true,
    errors: ["not-implemented"],
  },
  searchVisibility: {
    schema: "SearchVisibilityAvailableConfig",
    operation: "SearchVisibilityAvailableConfig",
    meaning:
      "Whether admins may choose whom members find by name. Switching it off resets the choice to `standard`.",
    isPublic: true,
    operator: "value",
    wasSingle: true,
  },
  searchVisibilityInbound: {
    schema: "SearchVisibilityInboundConfig",
    operation: "SearchVisibilityInboundConfig",
    meaning: "Whether members of other teams find members of this one by name.",
    isPublic: true,
    operator: "value",
  },
  validateSAMLemails: {
    schema: "ValidateSAMLEmailsConfig",
    operation: "ValidateSAMLEmailsConfig",
    meaning:
      "Whether people who come by an identity provider or a directory confirm their email address before it is theirs.",
    isPublic: false,
    operator: "value",
    wasSingle: true,
  },
  digitalSignatures: {
    schema: "DigitalSignaturesConfig",
    operation: "DigitalSignaturesConfig",
    meaning: "Whether clients offer to sign documents. Only clients act on it.",
    isPublic: false,
    operator: "value",
    wasSingle: true,
  },
  appLock: {
    schema: "AppLockConfig",
    operation: "AppLockConfigB",
    meaning: "Whether clients can be locked until the user authenticates again. Only clients act on it.",
    config: configs.appLockConfig,
    isPublic: true,
    operator: "value",
    wasSingle: true,
    errors: ["inactivity-timeout-too-low"],
  },
  fileSharing: {
    schema: "FileSharingConfig",
    operation: "FileSharingConfig",
    meaning: "Whether members can send and receive files. Only clients act on it.",
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  classifiedDomains: {
    schema: "ClassifiedDomainsConfig",
    operation: "ClassifiedDomainsConfig",
    meaning:
      "Whether clients mark conversations as classified or not, by the domains of their members. Only clients act on it.",
    config: configs.classifiedDomainsConfig,
    isPublic: false,
    operator: "nothing",
    wasSingle: true,
  },
  conferenceCalling: {
    schema: "ConferenceCallingConfig",
    operation: "ConferenceCallingConfigB",
    meaning:
      "Whether members can start calls with more than one other user: the call configuration then lists all SFT servers.",
    config: configs.conferenceCallingConfig,
    isConfigOptional: true,
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  selfDeletingMessages: {
    schema: "SelfDeletingMessagesConfig",
    operation: "SelfDeletingMessagesConfigB",
    meaning: "Whether members can send messages that delete themselves. Only clients act on it.",
    config: configs.selfDeletingMessagesConfig,
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  conversationGuestLinks: {
    schema: "GuestLinksConfig",
    operation: "GuestLinksConfig",
    meaning:
      "Whether conversations can have guest links. While it is disabled, nobody joins by an existing link.",
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  sndFactorPasswordChallenge: {
    schema: "SndFactorPasswordChallengeConfig",
    operation: "SndFactorPasswordChallengeConfig",
    meaning:
      "Whether members also need a code, sent by email, wherever they prove who they are by their password.",
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
  },
  mls: {
    schema: "MLSConfig",
    operation: "MLSConfigB",
    meaning:
      "Whether members can have conversations encrypted by MLS, by which cipher suites, and which protocol new conversations have.",
    config: configs.mlsConfig,
    isPublic: true,
    operator: "value-and-lock",
    wasSingle: true,
    errors: ["mls-protocol-mismatch"],
  },
  exposeInvitationURLsToTeamAdmin: {
    schema: "ExposeInvitationURLsToTeamAdminConfig",
    operation: "ExposeInvitationURLsToTeamAdminConfig",
    meaning:
      "Whether admins see the links of pending invitations. Unlocked only for teams that the operator has listed.",
    isPublic: true,
    operator: "value",
  },
  outlookCalIntegration: {
    schema: "OutlookCalIntegrationConfig",
    operation: "OutlookCalIntegrationConfig",
    meaning: "Whether clients offer to put conversations into calendars. Only clients act on it.",
    isPublic: true,
    operator: "value-and-lock",
  },
  mlsE2EId: {
    schema: "MlsE2EIdConfig",
    operation: "MlsE2EIdConfigB",
    meaning:
      "Whether devices hold certificates of who their user is. While it is enabled, members cannot change their name and handle themselves.",
    config: configs.mlsE2EIdConfig,
    isPublic: true,
    operator: "value-and-lock",
    errors: ["mls-e2eid-missing-crl-proxy"],
  },
  mlsMigration: {
    schema: "MlsMigration",
    operation: "MlsMigrationConfigB",
    meaning: "Whether, and when, clients migrate conversations from Proteus to MLS. Only clients act on it.",
    config: configs.mlsMigrationConfig,
    isPublic: true,
    operator: "value-and-lock",
    errors: ["mls-protocol-mismatch"],
  },
  enforceFileDownloadLocation: {
    schema: "EnforceFileDownloadLocation",
    operation: "EnforceFileDownloadLocationConfigB",
    meaning: "Whether clients save files to one folder only. Only clients act on it.",
    config: configs.enforceFileDownloadLocationConfig,
    isPublic: true,
    operator: "value-and-lock",
    errors: ["empty-download-location"],
  },
  limitedEventFanout: {
    schema: "LimitedEventFanoutConfig",
    operation: "LimitedEventFanoutConfig",
    meaning: "Whether only admins and owners, instead of all members, are told who leaves the team.",
    isPublic: false,
    operator: "value",
  },
  domainRegistration: {
    schema: "DomainRegistrationConfig",
    operation: "DomainRegistrationConfig",
    meaning: "Whether admins can claim email domains for the team.",
    isPublic: false,
    operator: "value-and-lock",
  },
  channels: {
    schema: "ChannelsConfig",
    operation: "ChannelsConfigB",
    meaning: "Whether members can create channels, and who may.",
    config: configs.channelsConfig,
    isPublic: true,
    operator: "value-and-lock",
  },
  cells: {
    schema: "CellsConfig",
    operation: "CellsConfig",
    meaning: "Whether conversations of the team can be connected to the Cells integration.",
    isPublic: true,
    operator: "value-and-lock",
  },
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

/** Features that the operator can lock and unlock by separate calls. */
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
