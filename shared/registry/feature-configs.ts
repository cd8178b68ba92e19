import * as z from "zod";

/** Configurations of team features, for requests, answers and settings; ids and names as in the published interface. */

export const featureStatus = z.enum(["enabled", "disabled"]).meta({ id: "FeatureStatus" });
export type FeatureStatus = z.infer<typeof featureStatus>;

export const lockStatus = z.enum(["locked", "unlocked"]).meta({
  id: "LockStatus",
  description:
    "Whether admins of the team may change the feature; it is `locked` and `unlocked` by the operator",
});
export type LockStatus = z.infer<typeof lockStatus>;

const httpsUrl = z
  .url({ protocol: /^https$/ })
  .max(2048)
  .meta({ id: "HttpsUrl" });

export const appLockConfig = z
  .object({
    enforceAppLock: z.boolean(),
    inactivityTimeoutSecs: z.int32().meta({ description: "At least 30" }),
  })
  .meta({ id: "AppLockConfig", examples: [{ enforceAppLock: true, inactivityTimeoutSecs: 60 }] });

const channelPermissions = z
  .enum(["team-members", "everyone", "admins"])
  .meta({ id: "ChannelPermissions", description: "`everyone` includes partners, `team-members` does not" });
export const channelsConfig = z
  .object({ allowed_to_create_channels: channelPermissions, allowed_to_open_channels: channelPermissions })
  .meta({
    id: "ChannelsConfig",
    examples: [{ allowed_to_create_channels: "team-members", allowed_to_open_channels: "admins" }],
  });

export const classifiedDomainsConfig = z
  .object({ domains: z.array(z.hostname()) })
  .meta({ id: "ClassifiedDomainsConfig", examples: [{ domains: ["example.com"] }] });

export const conferenceCallingConfig = z
  .object({ useSFTForOneToOneCalls: z.boolean().optional() })
  .meta({ id: "ConferenceCallingConfig", examples: [{ useSFTForOneToOneCalls: false }] });

export const enforceFileDownloadLocationConfig = z
  .object({
    enforcedDownloadLocation: z.string().max(4096).optional().meta({ description: "Path of a folder" }),
  })
  .meta({ id: "EnforceFileDownloadLocation", examples: [{ enforcedDownloadLocation: "/srv/downloads" }] });

const protocol = z.enum(["proteus", "mls", "mixed"]).meta({ id: "Protocol" });
const cipherSuite = z.int().min(0).max(65_535).meta({ id: "CipherSuiteTag" });
export const mlsConfig = z
  .object({
    protocolToggleUsers: z.array(z.uuid()).max(1000),
    defaultProtocol: protocol,
    supportedProtocols: z.array(protocol).max(10),
    allowedCipherSuites: z.array(cipherSuite).max(100),
    defaultCipherSuite: cipherSuite,
  })
  .meta({
    id: "MLSConfig",
    examples: [
      {
        protocolToggleUsers: [],
        defaultProtocol: "mls",
        supportedProtocols: ["proteus", "mls"],
        allowedCipherSuites: [1],
        defaultCipherSuite: 1,
      },
    ],
  });

/** Whether the protocol of new conversations is among the supported ones. */
export const supportsDefaultProtocol = ({
  defaultProtocol,
  supportedProtocols,
}: z.infer<typeof mlsConfig>): boolean => supportedProtocols.includes(defaultProtocol);

export const mlsE2EIdConfig = z
  .object({
    verificationExpiration: z.int().min(0).meta({ description: "Seconds" }),
    acmeDiscoveryUrl: httpsUrl.optional(),
    crlProxy: httpsUrl.optional(),
    useProxyOnMobile: z.boolean().optional(),
  })
  .meta({
    id: "MlsE2EIdConfig",
    examples: [
      {
        verificationExpiration: 86_400,
        acmeDiscoveryUrl: "https://acme.example.com/discovery",
        crlProxy: "https://crl.example.com",
      },
    ],
  });

const time = z.iso.datetime();
export const mlsMigrationConfig = z
  .object({ startTime: time.optional(), finaliseRegardlessAfter: time.optional() })
  .meta({ id: "MlsMigration", examples: [{ startTime: "2027-01-01T00:00:00Z" }] });

export const selfDeletingMessagesConfig = z
  .object({ enforcedTimeoutSeconds: z.int32().min(0).meta({ description: "0: not enforced" }) })
  .meta({ id: "SelfDeletingMessagesConfig", examples: [{ enforcedTimeoutSeconds: 3600 }] });
