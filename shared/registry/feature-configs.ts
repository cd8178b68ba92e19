import * as z from "zod";
import { int64 } from "#shared/platform/int64.ts";

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
    enforceAppLock: z.boolean().meta({ description: "Whether users cannot switch the lock off" }),
    inactivityTimeoutSecs: z
      .int32()
      .meta({ description: "Seconds without use after which clients are locked: at least 30" }),
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
  .object({
    domains: z.array(z.hostname()).meta({ description: "Whose users keep a conversation classified" }),
  })
  .meta({ id: "ClassifiedDomainsConfig", examples: [{ domains: ["example.com"] }] });

export const conferenceCallingConfig = z
  .object({
    useSFTForOneToOneCalls: z
      .boolean()
      .optional()
      .meta({ description: "Whether calls of two users go through SFT servers, too" }),
  })
  .meta({ id: "ConferenceCallingConfig", examples: [{ useSFTForOneToOneCalls: false }] });

export const enforceFileDownloadLocationConfig = z
  .object({
    enforcedDownloadLocation: z.string().max(4096).optional().meta({ description: "Path of the folder" }),
  })
  .meta({ id: "EnforceFileDownloadLocation", examples: [{ enforcedDownloadLocation: "/srv/downloads" }] });

export const protocol = z.enum(["proteus", "mls", "mixed"]).meta({
  id: "Protocol",
  description: "How messages are encrypted; `mixed` during the migration from Proteus to MLS",
});
const cipherSuite = z
  .int()
  .min(0)
  .max(65_535)
  .meta({ id: "CipherSuiteTag", description: "Number of an MLS cipher suite (RFC 9420 §17.1)" });
export const mlsConfig = z
  .object({
    protocolToggleUsers: z
      .array(z.uuid())
      .max(1000)
      .meta({ description: "Users who may choose the protocol of a new conversation" }),
    defaultProtocol: protocol,
    supportedProtocols: z
      .array(protocol)
      .max(10)
      .meta({ description: "Protocols that conversations may have" }),
    allowedCipherSuites: z
      .array(cipherSuite)
      .max(100)
      .meta({ description: "Cipher suites that clients may use" }),
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
    verificationExpiration: int64({ min: 0n, max: 2n ** 63n - 1n }).meta({
      description: "Seconds for which users may put off the certificate of a new device",
    }),
    acmeDiscoveryUrl: httpsUrl
      .optional()
      .meta({ description: "Directory of the ACME server (RFC 8555) that issues the certificates" }),
    crlProxy: httpsUrl.optional().meta({ description: "From where clients get revocation lists" }),
    useProxyOnMobile: z
      .boolean()
      .optional()
      .meta({ description: "Whether mobile clients use `crlProxy` as well" }),
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

/** With an offset, the year in UTC may be one that a time cannot be written with. */
const hasFourDigitYear = (text: string) => {
  const year = new Date(text).getUTCFullYear();
  return year >= 0 && year <= 9999;
};
/** A time with any offset, which is kept in UTC. */
const instant = z.iso
  .datetime({ offset: true, abort: true })
  .refine(hasFourDigitYear, { error: "not a year of four digits in UTC", abort: true })
  .overwrite((text) => (text.endsWith("Z") ? text : new Date(text).toISOString()));

export const mlsMigrationConfig = z
  .object({
    startTime: instant.optional().meta({ description: "When clients begin to migrate conversations" }),
    finaliseRegardlessAfter: instant
      .optional()
      .meta({ description: "When they complete it, even if some members do not support MLS" }),
  })
  .meta({ id: "MlsMigration", examples: [{ startTime: "2027-01-01T00:00:00Z" }] });

export const selfDeletingMessagesConfig = z
  .object({
    enforcedTimeoutSeconds: z
      .int32()
      .min(0)
      .meta({ description: "Seconds after which all messages delete themselves; 0: as the sender chooses" }),
  })
  .meta({ id: "SelfDeletingMessagesConfig", examples: [{ enforcedTimeoutSeconds: 3600 }] });
