import * as z from "zod";
import { tokenBucket } from "./types.ts";

/** Settings of legal hold, except the feature `legalhold` itself. */
export const legalHoldSettings = {
  legalHoldService: z
    .strictObject({
      /** Longest time for one call to the service of a team, of which there are three tries at most. */
      timeoutMilliseconds: z.int().min(100).max(4000).default(2000),
      /** Whether the service may have a private address: only where no team can reach what it should not. */
      allowsPrivateAddresses: z.boolean().default(false),
      /** Services that one team registers: each is called. */
      registrationRateLimit: tokenBucket.prefault({ burst: 10, refillSeconds: 60 }),
      /** Requests, approvals and ends of legal hold by one user, for each of which a service is called. */
      changeRateLimit: tokenBucket.prefault({ burst: 200, refillSeconds: 5 }),
    })
    .prefault({}),
};
