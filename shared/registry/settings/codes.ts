import * as z from "zod";
import { seconds, tokenBucket } from "./types.ts";

/** Settings of the codes that are sent by e-mail and SMS. */
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
  /** Whether everybody needs a code by e-mail to log in with a password or to add a device. */
  sndFactorPasswordChallenge: z.boolean().default(false),
  /** Lifetime of second-factor codes. */
  setVerificationTimeout: seconds.min(1).default(600),
  /** Least time between two second-factor codes for one address and action. */
  set2FACodeGenerationDelaySecs: seconds.default(300),
};
