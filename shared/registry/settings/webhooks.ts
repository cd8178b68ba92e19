import * as z from "zod";
import { emailAddress } from "#shared/platform/address-types.ts";

/** Settings of webhooks. */
export const webhookSettings = {
  /** Told when a webhook of the operator is switched off. */
  operatorEmail: emailAddress.optional(),
  webhooks: z
    .strictObject({
      /** Webhooks of a team. The operator has as many. */
      maxPerOwner: z.int().min(1).max(50).default(5),
      /** Events that wait for one receiver. The next stay in the audit trail meanwhile. */
      maxWaiting: z.int().min(100).max(100_000).default(10_000),
      /** Age at which a change counts as complete. All that began before it has been committed, or never will be. */
      settleSeconds: z.int().min(1).max(300).default(20),
      /** Time limit of one attempt. */
      timeoutMilliseconds: z.int().min(100).max(10_000).default(5000),
      /** Only safe if functions reach nothing that receivers should not. */
      allowsPrivateAddresses: z.boolean().default(false),
      /** Accepts any certificate on loopback, for developers. */
      trustsLoopback: z.boolean().default(false),
      /** Further trusted certificates, in PEM. */
      authorities: z.array(z.string().startsWith("-----BEGIN CERTIFICATE-----")).max(20).default([]),
    })
    .prefault({}),
};
