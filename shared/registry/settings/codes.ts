import * as z from "zod";
import { dailyBudget, seconds, tokenBucket } from "./types.ts";

/**
 * Settings of the codes that are sent by email and SMS. A network, here as elsewhere, is an IPv4 address or an IPv6 /64;
 * a /48 has eight times its limit.
 */
export const codeSettings = {
  setActivationTimeout: seconds.min(1).default(14 * 86_400),
  setLoginCodeTimeout: seconds.min(1).default(600),
  setPasswordResetTimeout: seconds.min(1).default(600),
  setDeletionCodeTimeout: seconds.min(1).default(600),
  /** Messages with codes that one network may request, whoever the recipients are. */
  setCodeDeliveryRateLimitPerIp: tokenBucket.prefault({ burst: 50, refillSeconds: 20 }),
  /** New codes for one address or number after wrong attempts from one network. */
  setCodeReplacementRateLimit: tokenBucket.prefault({ burst: 5, refillSeconds: 17_280 }),
  /** Messages with codes to one address or number. */
  setCodeDeliveryRateLimit: tokenBucket.prefault({ burst: 5, refillSeconds: 60 }),
  /** SMS that may be requested per day (UTC); null for no limit. */
  setSmsDailyBudget: z
    .strictObject({
      perNetwork: dailyBudget.default(20),
      /** A range has all digits but the last four in common. */
      perNumberRange: dailyBudget.default(100),
      perCountry: dailyBudget.default(5000),
      /** Budgets of single countries (`DE`), or of calling codes that belong to none (`+870`), instead of `perCountry`. */
      countries: z
        .partialRecord(z.string().regex(/^([A-Z]{2}|\+\d{1,3})$/, "such as DE or +870"), dailyBudget)
        .default({}),
    })
    .prefault({}),
  /** Lifetime of second-factor codes. */
  setVerificationTimeout: seconds.min(1).default(600),
  /** Minimum time between two second-factor codes for one address and action. */
  set2FACodeGenerationDelaySecs: seconds.default(300),
};
