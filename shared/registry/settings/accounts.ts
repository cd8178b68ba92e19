import * as z from "zod";
import { domainName } from "#shared/platform/address-types.ts";
import { dailyBudget, locale, seconds, tokenBucket } from "./types.ts";

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

/** Domain of email addresses, with or without the `@` before it. */
const mailDomain = z
  .string()
  .transform((text) => text.replace(/^@/, ""))
  .pipe(domainName);

/** Settings of accounts and their passwords. */
export const accountSettings = {
  setDefaultUserLocale: locale.optional(),
  setAllowlistEmailDomains: z.array(mailDomain).optional(),
  /** Mail domains that nobody may register, change to or invite. */
  setDomainsBlockedForRegistration: z.array(mailDomain).default([]),
  setAllowlistPhonePrefixes: z.array(z.string().regex(/^\+\d*$/, "digits after a plus")).optional(),
  setRestrictUserCreation: z.boolean().default(false),
  setEphemeralUserCreationEnabled: z.boolean().default(true),
  /** Mail domains where `name+suffix` is a distinct address. */
  setTrustedSuffixDomains: z.array(mailDomain).default([]),
  /** Handles that nobody may take. The vendor word is reserved, too. */
  setReservedHandles: z.array(z.string()).default(defaultReservedHandles),
  setEmailVisibility: z
    .enum(["visible_if_on_team", "visible_if_on_same_team", "visible_to_self"])
    .default("visible_to_self"),
  /** Characters of all names and values. */
  setRichInfoLimit: z.int().min(0).default(5000),
  /**
   * Bytes of changes that a user may write a day (UTC). These are properties, profile, new devices, and changes of
   * conversations and teams, plus 1,024 for each change; null: no limit. They are stored twice: once for the user, and for
   * weeks as an event.
   */
  setDailyWriteBudget: z
    .strictObject({
      perUser: dailyBudget.default(32 * 1024 * 1024),
      perAnonymousUser: dailyBudget.default(1024 * 1024),
    })
    .prefault({}),
  setSuspendInactiveUsers: z.strictObject({ suspendTimeout: seconds }).optional(),
  setPasswordHashingOptions: z
    .discriminatedUnion("algorithm", [scrypt, argon2id])
    .prefault({ algorithm: "scrypt" }),
  setPasswordHashingRateLimit: z
    .strictObject({
      /** Registrations from one network. */
      perIp: tokenBucket.prefault({ burst: 5, refillSeconds: 300 }),
      /**
       * Logins to one account from one network. Also password checks within a user's sessions, and guest link passwords that
       * one user sets or tries.
       */
      perUser: tokenBucket.prefault({ burst: 5, refillSeconds: 60 }),
      /** Logins to one account from networks that its owner does not use. */
      perAccount: tokenBucket.prefault({ burst: 100, refillSeconds: 60 }),
      /** Logins from one network to accounts whose owners do not use it. Also guest link passwords set or tried from there. */
      perNetwork: tokenBucket.prefault({ burst: 200, refillSeconds: 5 }),
    })
    .prefault({}),
  /** Wrong passwords for one account from one network. Also within a user's sessions. Absent: no limit. */
  setLimitFailedLogins: z.strictObject({ timeout: seconds, retryLimit: z.int().min(1) }).optional(),
};
