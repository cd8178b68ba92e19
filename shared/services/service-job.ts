import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** Messages of the queue `service-jobs`. */
export const serviceJob = z.discriminatedUnion("job", [
  /** Deletes a service that is marked for it: its bots, its places on lists of teams, and its record. */
  storedObject({ job: z.literal("delete-service"), providerId: z.uuid(), serviceId: z.uuid() }),
  /** Deletes a provider that is marked for it, with all its services. */
  storedObject({ job: z.literal("delete-provider"), providerId: z.uuid() }),
  /** Removes the bots of a service from the conversations of a team that has taken it off its list. */
  storedObject({
    job: z.literal("leave-team"),
    teamId: z.uuid(),
    providerId: z.uuid(),
    serviceId: z.uuid(),
    /** The user who has changed the list. */
    actor: storedObject({ userId: z.uuid(), connectionId: z.string().optional() }),
  }),
]);
export type ServiceJob = z.infer<typeof serviceJob>;

/** Creates the message that starts a job. */
export const orderServiceJob = (outbox: Outbox, job: ServiceJob): OutboxMessage =>
  outbox.message("service-jobs", job);
