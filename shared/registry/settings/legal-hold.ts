import * as z from "zod";
import { tokenBucket } from "./types.ts";

/** Settings of legal hold, except the feature `legalhold` itself. */
export const legalHoldSettings = {
  legalHoldService: z
    .strictObject({
      /** Time limit of one call to the service of a team, with up to three attempts. */
      timeoutMilliseconds: z.int().min(100).max(4000).default(2000),
      /** Whether the service may have a private address; only safe where teams can reach nothing sensitive that way. */
      allowsPrivateAddresses: z.boolean().default(false),
      /** Services that one team may register; each registration makes a call. */
      registrationRateLimit: tokenBucket.prefault({ burst: 10, refillSeconds: 60 }),
      /** Requests, approvals and ends of legal hold by one user, each of which calls a service. */
      changeRateLimit: tokenBucket.prefault({ burst: 200, refillSeconds: 5 }),
    })
    .prefault({}),
};
