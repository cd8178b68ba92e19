import type * as z from "zod";
import * as configs from "#shared/registry/feature-configs.ts";

/** What the interface has of a feature; its defaults are settings, in `shared/registry/settings/features.ts`. */
interface FeatureSpec {
  /** Name of its published schemas, and of its operations unless `operation` is there. */
  readonly wireName: string;
  readonly operation?: string;
  readonly config?: z.ZodObject;
  /** Whether requests may leave out the configuration, which then stays as it is. */
  readonly isConfigOptional?: boolean;
  /** Whether admins of the team may change it, while it is unlocked. */
  readonly isPublic: boolean;
  /** Who may change it otherwise: the operator, also its lock, by a call for the feature alone; nobody. */
  readonly operator?: "locks" | "nothing";
  /** Whether `/feature-configs/<name>` exists in old versions. */
  readonly wasSingle?: boolean;
  /** Other names in paths, and who knows them: versions 0 and 1, all versions, or callers of the internal API. */
  readonly spellings?: Readonly<Record<string, "old" | "always" | "internal">>;
}

/** Every team feature, under its name in paths and answers (spec heading Team features: catalogue). */
export const featureCatalogue = {
  legalhold: { wireName: "LegalholdConfig", isPublic: true, wasSingle: true },
  sso: { wireName: "SSOConfig", isPublic: false, wasSingle: true },
  searchVisibility: {
    wireName: "SearchVisibilityAvailableConfig",
    isPublic: true,
    wasSingle: true,
    spellings: { "search-visibility": "old" },
  },
  searchVisibilityInbound: {
    wireName: "SearchVisibilityInboundConfig",
    isPublic: true,
    spellings: { "search-visibility-inbound": "internal" },
  },
  validateSAMLemails: {
    wireName: "ValidateSAMLEmailsConfig",
    isPublic: false,
    wasSingle: true,
    spellings: { "validate-saml-emails": "old", validateSAMLEmails: "always" },
  },
  digitalSignatures: {
    wireName: "DigitalSignaturesConfig",
    isPublic: false,
    wasSingle: true,
    spellings: { "digital-signatures": "old" },
  },
  appLock: {
    wireName: "AppLockConfig",
    operation: "AppLockConfigB",
    config: configs.appLockConfig,
    isPublic: true,
    wasSingle: true,
  },
  fileSharing: { wireName: "FileSharingConfig", isPublic: true, operator: "locks", wasSingle: true },
  classifiedDomains: {
    wireName: "ClassifiedDomainsConfig",
    config: configs.classifiedDomainsConfig,
    isPublic: false,
    operator: "nothing",
    wasSingle: true,
  },
  conferenceCalling: {
    wireName: "ConferenceCallingConfig",
    operation: "ConferenceCallingConfigB",
    config: configs.conferenceCallingConfig,
    isConfigOptional: true,
    isPublic: true,
    operator: "locks",
    wasSingle: true,
  },
  selfDeletingMessages: {
    wireName: "SelfDeletingMessagesConfig",
    operation: "SelfDeletingMessagesConfigB",
    config: configs.selfDeletingMessagesConfig,
    isPublic: true,
    operator: "locks",
    wasSingle: true,
  },
  conversationGuestLinks: {
    wireName: "GuestLinksConfig",
    isPublic: true,
    operator: "locks",
    wasSingle: true,
  },
  sndFactorPasswordChallenge: {
    wireName: "SndFactorPasswordChallengeConfig",
    isPublic: true,
    operator: "locks",
    wasSingle: true,
  },
  mls: {
    wireName: "MLSConfig",
    operation: "MLSConfigB",
    config: configs.mlsConfig,
    isPublic: true,
    operator: "locks",
    wasSingle: true,
  },
  exposeInvitationURLsToTeamAdmin: { wireName: "ExposeInvitationURLsToTeamAdminConfig", isPublic: true },
  outlookCalIntegration: { wireName: "OutlookCalIntegrationConfig", isPublic: true, operator: "locks" },
  mlsE2EId: {
    wireName: "MlsE2EIdConfig",
    operation: "MlsE2EIdConfigB",
    config: configs.mlsE2EIdConfig,
    isPublic: true,
    operator: "locks",
  },
  mlsMigration: {
    wireName: "MlsMigration",
    operation: "MlsMigrationConfigB",
    config: configs.mlsMigrationConfig,
    isPublic: true,
    operator: "locks",
  },
  enforceFileDownloadLocation: {
    wireName: "EnforceFileDownloadLocation",
    operation: "EnforceFileDownloadLocationConfigB",
    config: configs.enforceFileDownloadLocationConfig,
    isPublic: true,
    operator: "locks",
  },
  limitedEventFanout: { wireName: "LimitedEventFanoutConfig", isPublic: false },
  domainRegistration: { wireName: "DomainRegistrationConfig", isPublic: false, operator: "locks" },
  channels: {
    wireName: "ChannelsConfig",
    operation: "ChannelsConfigB",
    config: configs.channelsConfig,
    isPublic: true,
    operator: "locks",
  },
  cells: { wireName: "CellsConfig", isPublic: true, operator: "locks" },
} as const satisfies Readonly<Record<string, FeatureSpec>>;

export type FeatureName = keyof typeof featureCatalogue;

/** Names of all features, in the order of the interface. */
export const featureNames = Object.keys(featureCatalogue) as FeatureName[];

export const featureSpec = (name: FeatureName): FeatureSpec => featureCatalogue[name];
