import * as z from "zod";

/** Most recipients of one outbox item: longer lists are split into several. */
export const maxRecipientsPerMessage = 500;

/** What the outbox holds: an event and some of its recipients, until it has been stored and posted for them. */
export const eventMessage = z.object({
  /** The same for all parts of one event, which a recipient gets once. */
  eventId: z.uuid(),
  /** May contain anything that clients send; payloads of the outbox are text, so DynamoDB's limits do not apply. */
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
  /** User whose accepted connections also get it; they are looked up on delivery. */
  contactsOf: z.uuid().optional(),
  isTransient: z.boolean(),
  /** The connection whose sockets are left out. */
  origin: z.object({ userId: z.uuid(), connectionId: z.string() }).optional(),
  /** Unix milliseconds of the commit. */
  committedAt: z.int(),
});
export type EventMessage = z.infer<typeof eventMessage>;
export type Recipient = EventMessage["recipients"][number];

/** Shorter than a queue takes to deliver the message of a worker that died again. */
const newMilliseconds = 3000;

/** Whether an event is old enough to be left over from a worker that died, and thus may have been handled in part. */
export const mayBeLeftOver = ({ committedAt }: Pick<EventMessage, "committedAt">, now: number): boolean =>
  now - committedAt >= newMilliseconds;
