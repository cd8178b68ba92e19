import * as z from "zod";
import { emailAddress } from "#shared/platform/address-types.ts";

/** Settings of webhooks. */
export const webhookSettings = {
  /** Address that is told when one of the operator's own webhooks is switched off; absent: none. */
  operatorEmail: emailAddress.optional(),
  webhooks: z
    .strictObject({
      /** Most webhooks of one team, and of the operator. */
      maxPerOwner: z.int().min(1).max(50).default(5),
      /** Most events that wait for one receiver; the next stay in the audit trail meanwhile. */
      maxWaiting: z.int().min(100).max(100_000).default(10_000),
      /** Age at which a change counts as complete: all that began before it has been committed, or never will be. */
      settleSeconds: z.int().min(1).max(300).default(20),
      /** Time limit of one attempt. */
      timeoutMilliseconds: z.int().min(100).max(10_000).default(5000),
      /** Whether receivers may have private addresses; only safe where they can reach nothing sensitive that way. */
      allowsPrivateAddresses: z.boolean().default(false),
      /** Whether receivers on loopback may have any certificate: for developers, who sign theirs themselves. */
      trustsLoopback: z.boolean().default(false),
      /** Certificates of authorities, in PEM, that receivers may have besides those that everybody trusts. */
      authorities: z.array(z.string().startsWith("-----BEGIN CERTIFICATE-----")).max(20).default([]),
    })
    .prefault({}),
};
