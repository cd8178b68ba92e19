import * as z from "zod";

/**
 * Everything an operator can change without touching code, under the names of the interface (section 8).
 * Defaults are those of production; a stage overrides single keys by a JSON file that is validated at synth
 * and at local start and bundled into the functions. Durations without another unit are seconds.
 */

const seconds = z.int().min(0);
const locale = z.string().regex(/^[A-Za-z]{2,3}([-_][A-Za-z]{2})?$/, "a language such as en or de-CH");
const tokenBucket = z.strictObject({
  /** Uses that may happen at once. */
  burst: z.int().min(1),
  /** Seconds until one use comes back; 0 switches the limit off. */
  refillSeconds: seconds,
});

const scrypt = z.strictObject({
  algorithm: z.literal("scrypt"),
  /** Binary logarithm of the cost N. */
  logCost: z.int().min(10).max(20).default(14),
  blockSize: z.int().min(1).max(32).default(8),
  parallelism: z.int().min(1).max(16).default(5),
});

const argon2id = z.strictObject({
  algorithm: z.literal("argon2id"),
  iterations: z.int().min(1).max(64).default(2),
  /** KiB */
  memory: z.int().min(8).max(1_048_576).default(19_456),
  parallelism: z.int().min(1).max(16).default(1),
});

const defaultReservedHandles = [
  ..."account admin administrator all android anna avs backend bot cs design dev developer".split(" "),
  ..."development everyone help helpdesk hr info ios legal management news payment product".split(" "),
  ..."purchase qa support team user web".split(" "),
];

export const settingsSchema = z.strictObject({
  /** Domain part of qualified ids; must never change once users exist. */
  domain: z.hostname().default("parley.localhost"),
  /** Neutral vendor word: header names, `managed_by`, code prefixes, page titles. */
  vendor: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, "lower-case letters and digits")
    .default("svc"),
  productName: z
    .string()
    .regex(/^[^\p{Cc}]{1,64}$/u, "1 to 64 characters on one line")
    .default("Parley"),
  /** Address that clients reach the public API at; absent: the address that the API Gateway assigns. */
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  emailSender: z.email().default("no-reply@parley.localhost"),
  smsSender: z
    .string()
    .regex(/^[A-Za-z0-9]{1,11}$/)
    .default("Parley"),
  /** Origins of browser clients that may call the API with credentials. */
  corsAllowedOrigins: z
    .array(z.string().regex(/^https?:\/\/[a-z0-9.-]+(:\d+)?$/, "an origin such as https://app.example.com"))
    .default([]),

  setDefaultTemplateLocale: locale.default("EN"),
  setDefaultUserLocale: locale.optional(),

  setEnableDevelopmentVersions: z.boolean().default(false),
  /** Numbers, texts such as `v3`, or the word `development`. */
  setDisabledAPIVersions: z
    .array(
      z.union([
        z.int().min(0),
        z.string().regex(/^(v\d+|development)$/, "a version such as v3, or development"),
      ]),
    )
    .default([]),

  setAllowlistEmailDomains: z.array(z.string()).optional(),
  setAllowlistPhonePrefixes: z.array(z.string().regex(/^\+\d*$/, "digits after a plus")).optional(),
  setRestrictUserCreation: z.boolean().default(false),
  setEphemeralUserCreationEnabled: z.boolean().default(true),
  /** Mail domains where `name+suffix` is an address of its own. */
  setTrustedSuffixDomains: z.array(z.string()).default([]),

  setActivationTimeout: seconds.min(1).default(14 * 86_400),
  setLoginCodeTimeout: seconds.min(1).default(600),
  setPasswordResetTimeout: seconds.min(1).default(600),

  zauth: z
    .strictObject({
      authSettings: z
        .strictObject({
          accessTokenTimeout: seconds.default(900),
          /** Lifetime of persistent cookies. */
          userTokenTimeout: seconds.default(56 * 86_400),
          /** Lifetime of session cookies. */
          sessionCookieTimeout: seconds.default(7 * 86_400),
          /** Longest lifetime of an anonymous account. */
          sessionTokenTimeout: seconds.default(86_400),
        })
        .prefault({}),
    })
    .prefault({}),
  setUserCookieLimit: z.int().min(1).max(100).default(32),
  /** Age from which `/access` replaces a persistent cookie. */
  setUserCookieRenewAge: seconds.default(14 * 86_400),
  setUserCookieThrottle: z
    .strictObject({ stdDev: seconds.default(3000), retryAfter: seconds.default(86_400) })
    .prefault({}),
  /** Domain attribute of the cookie; absent: none. */
  setCookieDomain: z.hostname().optional(),

  setLimitFailedLogins: z.strictObject({ timeout: seconds, retryLimit: z.int().min(1) }).optional(),
  setSuspendInactiveUsers: z.strictObject({ suspendTimeout: seconds }).optional(),

  setPasswordHashingOptions: z
    .discriminatedUnion("algorithm", [scrypt, argon2id])
    .prefault({ algorithm: "scrypt" }),
  setPasswordHashingRateLimit: z
    .strictObject({
      perIp: tokenBucket.prefault({ burst: 5, refillSeconds: 300 }),
      perUser: tokenBucket.prefault({ burst: 5, refillSeconds: 60 }),
    })
    .prefault({}),
  /** Messages with codes that one network may ask for, to whomever. */
  setCodeDeliveryRateLimitPerIp: tokenBucket.prefault({ burst: 50, refillSeconds: 20 }),
  /** New codes for one address or number after a code died of wrong tries. */
  setCodeReplacementRateLimit: tokenBucket.prefault({ burst: 5, refillSeconds: 17_280 }),
  /** Messages with codes to one address or number. */
  setCodeDeliveryRateLimit: tokenBucket.prefault({ burst: 5, refillSeconds: 60 }),

  setOAuthEnabled: z.boolean().default(false),
  setOAuthAuthCodeExpirationTimeSecs: seconds.min(1).default(300),
  setOAuthAccessTokenExpirationTimeSecs: seconds.min(1).default(300),
  setOAuthRefreshTokenExpirationTimeSecs: seconds.min(1).max(14_515_200).default(14_515_200),
  /** Refresh tokens of one user, over all apps. */
  setOAuthMaxActiveRefreshTokens: z.int().min(1).max(100).default(20),
  /** Whether the use of a refresh token that was used before takes the whole grant away. */
  setOAuthRefreshTokenReuseDetection: z.boolean().default(true),
  /** Time in which an app may repeat its last refresh without being taken for a thief. */
  setOAuthRefreshTokenReuseGraceSecs: seconds.default(10),
  /** How long an app's old secret is valid after a new one was made. */
  setOAuthSecretOverlapSecs: seconds.default(86_400),
  /** How long a login on the authorization pages lasts. */
  setOAuthPageSessionSecs: seconds.min(60).default(600),

  /** Whether everybody needs a code by e-mail to log in with a password or to add a device. */
  sndFactorPasswordChallenge: z.boolean().default(false),
  /** Lifetime of second-factor codes. */
  setVerificationTimeout: seconds.min(1).default(600),
  /** Time between two second-factor codes for one address and action. */
  set2FACodeGenerationDelaySecs: seconds.default(300),
  setDeletionCodeTimeout: seconds.min(1).default(600),

  /** Handles that nobody may take, beside the vendor word. */
  setReservedHandles: z.array(z.string()).default(defaultReservedHandles),
  setEmailVisibility: z
    .enum(["visible_if_on_team", "visible_if_on_same_team", "visible_to_self"])
    .default("visible_to_self"),
  /** Whether users of other teams cannot be found by handle either. */
  searchSameTeamOnly: z.boolean().default(false),
  /** Characters of all names and values together. */
  setRichInfoLimit: z.int().min(0).default(5000),
  /** Accepted and sent connections of one user. */
  setUserMaxConnections: z.int().min(1).default(1000),
  setUserMaxPermClients: z.int().min(1).default(7),
  setPropertyMaxKeyLen: z.int().min(1).max(1024).default(1024),
  /** Bytes of JSON. */
  setPropertyMaxValueLen: z.int().min(1).max(524_288).default(524_288),
  /** Members of a conversation, and users whose prekeys can be claimed at once. */
  maxConvSize: z.int().min(2).default(500),

  setEnableMLS: z.boolean().default(false),
  /** Key packages that live longer are refused. */
  setKeyPackageMaximumLifetime: seconds.min(1).default(1_296_000),
  /** Lifetime of the nonces of DPoP proofs. */
  setNonceTtlSecs: seconds.min(1).default(300),
  setDpopTokenExpirationTimeSecs: seconds.min(1).default(30),

  turn: z
    .strictObject({
      /** Such as `turn:turn.example.com:3478?transport=udp`. */
      servers: z
        .array(z.string().regex(/^turns?:[^:?\s]+:\d+(\?transport=(udp|tcp))?$/, "turn:host:port"))
        .default([]),
      /** Lifetime of the configuration that clients get. */
      configTTL: seconds.min(1).default(3600),
      /** Lifetime of the credentials. */
      tokenTTL: seconds.min(1).default(21_600),
    })
    .prefault({}),
  /** The SFT server that clients use. */
  setSftStaticUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** SFT servers found by DNS: SRV records `_<service>._tcp.<baseDomain>`. */
  setSft: z.strictObject({ baseDomain: z.hostname(), service: z.string().default("sft") }).optional(),
  setSftListAllServers: z.enum(["enabled", "disabled"]).default("disabled"),
  /** Credentials for SFT servers; absent: none. */
  sftToken: z.strictObject({ ttl: seconds.min(1) }).optional(),

  /** How long notifications are kept. */
  notificationTTL: seconds.min(1).default(28 * 86_400),

  /** Age from which the sweeper sends an outbox item again. */
  outboxResendSeconds: z.int().min(1).default(60),
});

export type Settings = z.infer<typeof settingsSchema>;
export type SettingsInput = z.input<typeof settingsSchema>;

/** Raised for a settings file that does not fit; the message names every wrong key. */
export class InvalidSettingsError extends Error {
  override readonly name = "InvalidSettingsError";
}

/** @throws InvalidSettingsError naming each wrong key */
export function parseSettings(input: unknown): Settings {
  const result = settingsSchema.safeParse(input);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const key = issue.path.join(".") || "settings";
    return issue.code === "unrecognized_keys"
      ? `unknown setting ${[...issue.path, issue.keys.join(", ")].join(".")}`
      : `${key}: ${issue.message}`;
  });
  throw new InvalidSettingsError(`Bad settings: ${problems.join("; ")}`);
}
