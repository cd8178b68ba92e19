import * as z from "zod";
import { tokenBucket } from "./types.ts";

/** Settings of legal hold, except the feature `legalhold` itself. */
export const legalHoldSettings = {
  legalHoldService: z
    .strictObject({
      /** Time limit of a call to a team's service. There are up to three attempts. */
      timeoutMilliseconds: z.int().min(100).max(4000).default(2000),
      /** Only safe if functions reach nothing that teams should not. */
      allowsPrivateAddresses: z.boolean().default(false),
      /** Services that a team may register. Each registration makes a call. */
      registrationRateLimit: tokenBucket.prefault({ burst: 10, refillSeconds: 60 }),
      /** Changes of legal hold by one user. Requests, approvals and ends each call a service. */
      changeRateLimit: tokenBucket.prefault({ burst: 200, refillSeconds: 5 }),
    })
    .prefault({}),
};
