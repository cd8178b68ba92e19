import * as z from "zod";
import {
  appLockConfig,
  channelsConfig,
  classifiedDomainsConfig,
  conferenceCallingConfig,
  enforceFileDownloadLocationConfig,
  type FeatureStatus,
  featureStatus,
  type LockStatus,
  lockStatus,
  mlsConfig,
  mlsE2EIdConfig,
  mlsMigrationConfig,
  selfDeletingMessagesConfig,
  supportsDefaultProtocol,
} from "../feature-configs.ts";

const state = (status: FeatureStatus, lock: LockStatus) => ({
  status: featureStatus.default(status),
  lockStatus: lockStatus.default(lock),
});

/** What teams have while the feature is locked, or until their admins change it. */
const feature = (status: FeatureStatus, lock: LockStatus) =>
  z.strictObject({ defaults: z.strictObject(state(status, lock)).prefault({}) }).prefault({});

const configured = <Config extends z.ZodObject>(
  status: FeatureStatus,
  lock: LockStatus,
  schema: Config,
  config: z.output<Config>,
) =>
  z
    .strictObject({
      defaults: z.strictObject({ ...state(status, lock), config: configOf(schema, config) }).prefault({}),
    })
    .prefault({});

const configOf = <Config extends z.ZodObject>(schema: Config, config: z.output<Config>) =>
  z.strictObject(schema.shape as Config["shape"]).prefault(config as never);

/** Whether teams without an entry of their own have a feature. */
const byDefault = z.enum(["enabled-by-default", "disabled-by-default"]).default("disabled-by-default");

/** Settings of team features: what a team has by default, and whether its admins may change it. */
export const featureSettings = {
  appLock: configured("enabled", "unlocked", appLockConfig, {
    enforceAppLock: false,
    inactivityTimeoutSecs: 60,
  }),
  cells: feature("disabled", "locked"),
  channels: configured("disabled", "locked", channelsConfig, {
    allowed_to_create_channels: "team-members",
    allowed_to_open_channels: "team-members",
  }),
  /** The same for all teams. */
  classifiedDomains: z
    .strictObject({
      status: featureStatus.default("disabled"),
      config: configOf(classifiedDomainsConfig, { domains: [] }),
    })
    .prefault({}),
  conferenceCalling: z
    .strictObject({
      defaults: z
        .strictObject({
          ...state("enabled", "locked"),
          config: configOf(conferenceCallingConfig, { useSFTForOneToOneCalls: false }),
        })
        .prefault({}),
      /** For new users until they join a team. Stored for them; null for nothing. */
      defaultForNew: featureStatus.nullable().default(null),
      /** For other users without a team. */
      defaultForNull: featureStatus.default("enabled"),
    })
    .prefault({}),
  conversationGuestLinks: feature("enabled", "unlocked"),
  digitalSignatures: feature("disabled", "unlocked"),
  domainRegistration: feature("disabled", "locked"),
  enforceFileDownloadLocation: configured("disabled", "locked", enforceFileDownloadLocationConfig, {}),
  /** Teams whose admins may see links of invitations. */
  exposeInvitationURLsTeamAllowlist: z.array(z.uuid().toLowerCase()).default([]),
  fileSharing: feature("enabled", "unlocked"),
  legalhold: z
    .enum(["disabled-permanently", "disabled-by-default", "whitelist-teams-and-implicit-consent"])
    .default("disabled-by-default"),
  limitedEventFanout: feature("disabled", "unlocked"),
  mls: configured("disabled", "unlocked", mlsConfig, {
    protocolToggleUsers: [],
    defaultProtocol: "proteus",
    supportedProtocols: ["proteus", "mls"],
    allowedCipherSuites: [1],
    defaultCipherSuite: 1,
  }).refine(({ defaults }) => supportsDefaultProtocol(defaults.config), {
    path: ["defaults", "config", "supportedProtocols"],
    message: "the default protocol is missing",
  }),
  mlsE2EId: configured("disabled", "locked", mlsE2EIdConfig, {
    verificationExpiration: 86_400,
    useProxyOnMobile: false,
  }),
  mlsMigration: configured("disabled", "locked", mlsMigrationConfig, {}),
  outlookCalIntegration: feature("disabled", "locked"),
  searchVisibilityInbound: feature("disabled", "unlocked"),
  selfDeletingMessages: configured("enabled", "unlocked", selfDeletingMessagesConfig, {
    enforcedTimeoutSeconds: 0,
  }),
  /**
   * Members need a code by mail to log in and add devices. Users without a team never need one; services are closed to them
   * by this default.
   */
  sndFactorPasswordChallenge: feature("disabled", "locked"),
  sso: byDefault,
  /** The feature `searchVisibility`. */
  teamSearchVisibility: byDefault,
  validateSAMLemails: feature("enabled", "unlocked"),
  /** Another spelling of `validateSAMLemails`, which takes precedence. */
  validateSAMLEmails: feature("enabled", "unlocked").optional(),
};
