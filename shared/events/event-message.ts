import * as z from "zod";

/** Most recipients of one outbox item: longer lists are split into several. */
export const maxRecipientsPerMessage = 500;

const recipient = z.object({
  userId: z.uuid(),
  /** Devices that may see it; absent: all. */
  clientIds: z.array(z.string()).optional(),
  /** Whether the id is that of a team: the event goes to the team's log, which its members read. */
  isTeam: z.literal(true).optional(),
});

/**
 * Members of a team. Nothing goes to all members of a team that is larger than `maxFanoutSize`; those of large teams
 * read the team's log of notifications.
 */
const teamAudience = z.object({
  teamId: z.uuid(),
  /** `all-unless-limited`: only admins if the team has the feature `limitedEventFanout`. */
  members: z.enum(["all", "admins", "all-unless-limited"]),
});
export type TeamAudience = z.infer<typeof teamAudience>;

/** What the outbox holds: an event and some of its recipients, until it has been stored and posted for them. */
export const eventMessage = z.object({
  /** The same for all parts of one event, which a recipient gets once. */
  eventId: z.uuid(),
  /** May contain anything that clients send; payloads of the outbox are text, so DynamoDB's limits do not apply. */
  event: z.looseObject({ type: z.string() }),
  recipients: z.array(recipient).max(maxRecipientsPerMessage),
  /** User whose accepted connections also get it; they are looked up on delivery. */
  contactsOf: z.uuid().optional(),
  /** Team whose members also get it; they are looked up on delivery. */
  membersOf: teamAudience.optional(),
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
