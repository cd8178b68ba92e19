import { isIP } from "node:net";
import * as z from "zod";
import { emailAddress } from "#shared/platform/address-types.ts";
import { seconds, tokenBucket } from "./types.ts";

/** An address as `dns.setServers` takes it: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
const resolver = z.string().refine((text) => {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(text) ?? [];
  return isIP(text) === 6 || isIP(bracketed ?? "") === 6 || isIP(plain ?? "") === 4;
}, "an IP address, with or without port");

/** Settings of email domains that people verify and teams claim. */
export const domainSettings = {
  /** Null switches verification off. Nothing is looked up, and no domain has rules. */
  domainVerification: z
    .strictObject({
      /** DNS servers to ask for TXT records. */
      resolvers: z.array(resolver).min(1).max(4),
      /** Time limit of a look-up with all its attempts. A request has 15 seconds. */
      timeoutMilliseconds: z.int().min(100).max(8000).default(4000),
      challengeLifetimeSecs: seconds.min(60).default(172_800),
      /** Challenges and look-ups of one network. */
      rateLimitPerIp: tokenBucket.prefault({ burst: 20, refillSeconds: 30 }),
      /** Domains of one team. The maximum, even with the longest URLs, fits into one answer. */
      maxDomainsPerTeam: z.int().min(1).max(500).default(500),
      /** Address that gets a mail for each change. Absent: changes are only logged. */
      auditRecipient: emailAddress.optional(),
    })
    .nullable()
    .default(null),
};
