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
  /** Messages with codes that one network may request. */
  setCodeDeliveryRateLimitPerIp: tokenBucket.prefault({ burst: 50, refillSeconds: 20 }),
  /** New codes for one address or number after wrong attempts. */
  setCodeReplacementRateLimit: tokenBucket.prefault({ burst: 5, refillSeconds: 17_280 }),
  /** Messages with codes to one address or number. */
  setCodeDeliveryRateLimit: tokenBucket.prefault({ burst: 5, refillSeconds: 60 }),
  /** SMS a day (UTC). Null: no limit. */
  setSmsDailyBudget: z
    .strictObject({
      perNetwork: dailyBudget.default(20),
      /** To numbers that differ in the last four digits. */
      perNumberRange: dailyBudget.default(100),
      perCountry: dailyBudget.default(5000),
      /** Instead of `perCountry`, such as for `DE` or `+870`. */
      countries: z
        .partialRecord(z.string().regex(/^([A-Z]{2}|\+\d{1,3})$/, "such as DE or +870"), dailyBudget)
        .default({}),
    })
    .prefault({}),
  /** Lifetime of second-factor codes. */
  setVerificationTimeout: seconds.min(1).default(600),
  /** Minimum time between two second-factor codes. */
  set2FACodeGenerationDelaySecs: seconds.default(300),
};
