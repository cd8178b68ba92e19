import * as z from "zod";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** What the queue `provisioning-jobs` carries. */
export const provisioningJob = z.discriminatedUnion("job", [
  /** Deletes the users of a team who logged in by an identity provider that is gone. */
  z.object({ job: z.literal("delete-bound-users"), teamId: z.uuid(), issuers: z.array(z.string()) }),
]);
export type ProvisioningJob = z.infer<typeof provisioningJob>;

/** Creates the message that orders a job. */
export const orderProvisioningJob = (outbox: Outbox, job: ProvisioningJob): OutboxMessage =>
  outbox.message("provisioning-jobs", job);
