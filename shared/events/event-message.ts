import * as z from "zod";

/** Most recipients of one outbox item: longer lists are split over several. */
export const maxRecipientsPerMessage = 500;

/** What the outbox holds of an event for some of its recipients, until it has been stored and posted. */
export const eventMessage = z.object({
  /** Equal for all parts of one event; a recipient gets it once. */
  eventId: z.uuid(),
  /** Clients put into it what they like: payloads of the outbox are text, where DynamoDB does not mind. */
  event: z.looseObject({ type: z.string() }),
  recipients: z
    .array(
      z.object({
        userId: z.uuid(),
        /** Devices that may see it; absent: all. */
        clientIds: z.array(z.string()).optional(),
      }),
    )
    .max(maxRecipientsPerMessage),
  /** Whose accepted connections get it, too; they are looked up when it is delivered. */
  contactsOf: z.uuid().optional(),
  isTransient: z.boolean(),
  /** The connection whose sockets are left out. */
  origin: z.object({ userId: z.uuid(), connectionId: z.string() }).optional(),
  /** Unix milliseconds of the commit. */
  committedAt: z.int(),
});
export type EventMessage = z.infer<typeof eventMessage>;
export type Recipient = EventMessage["recipients"][number];
