import * as z from "zod";
import { describedProvider } from "#shared/codes/mail/message.ts";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** Messages of the queue `provisioning-jobs`. */
export const provisioningJob = z.discriminatedUnion("job", [
  /** Deletes the users of a team who logged in through a removed identity provider. */
  storedObject({ job: z.literal("delete-bound-users"), teamId: z.uuid(), issuers: z.array(z.string()) }),
  /** Tells the admins of a team by mail that an identity provider was created, changed or deleted. */
  storedObject({
    job: z.literal("announce-provider"),
    teamId: z.uuid(),
    /** The admin who did it, if known. */
    userId: z.uuid().optional(),
    providerId: z.uuid(),
    /** Absent for a new one. */
    before: describedProvider.optional(),
    /** Absent for one that was deleted. */
    after: describedProvider.optional(),
  }),
]);
export type ProvisioningJob = z.infer<typeof provisioningJob>;
export type ProviderAnnouncement = Extract<ProvisioningJob, { job: "announce-provider" }>;

/**
 * Creates the message that starts a job.
 * @param options.delaySeconds head start for the caller, who may do the work itself
 */
export const orderProvisioningJob = (
  outbox: Outbox,
  job: ProvisioningJob,
  options?: { readonly delaySeconds: number },
): OutboxMessage => outbox.message("provisioning-jobs", job, options);
