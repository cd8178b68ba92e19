import { v5 as uuidV5 } from "uuid";
import * as z from "zod";
import { pushPriority } from "./push/native-push.ts";

/** A user may be named several times, with different devices: each is a notification of its own. */
const recipient = z.object({
  userId: z.uuid(),
  /** Devices that may see it; absent: all. */
  clientIds: z.array(z.string()).optional(),
  /** What the event says to this recipient only, see `withOverlay`. */
  overlay: z.looseObject({}).optional(),
  /** Whether the id is that of a team: the event goes to the team's log, which its members read. */
  isTeam: z.literal(true).optional(),
  /** Whether it is created with the event, so that its log has no earlier ones. */
  isNew: z.literal(true).optional(),
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
  eventId: z.uuid(),
  /** May contain anything that clients send; payloads of the outbox are text, so DynamoDB's limits do not apply. */
  event: z.looseObject({ type: z.string() }),
  recipients: z.array(recipient),
  /** User whose accepted connections also get it; they are looked up on delivery. */
  contactsOf: z.uuid().optional(),
  /** Team whose members also get it; they are looked up on delivery. */
  membersOf: teamAudience.optional(),
  isTransient: z.boolean(),
  /** Whether each recipient sees themselves apart in `data.members`. */
  hasOwnViews: z.boolean(),
  /** The connection whose sockets are left out. */
  origin: z.object({ userId: z.uuid(), connectionId: z.string() }).optional(),
  /** Whether devices that no socket reaches are woken, and how soon; not those of the user who caused it. */
  push: z.object({ priority: pushPriority, exceptUserId: z.uuid().optional() }).optional(),
  /** Unix milliseconds of the commit. */
  committedAt: z.int(),
});
export type EventMessage = z.infer<typeof eventMessage>;
export type Recipient = EventMessage["recipients"][number];

/**
 * What tells an event's notification for a recipient from all others of that user, however often it is handed on: the
 * id of the event, unless it may be one of several for different devices.
 */
export const idForRecipient = (
  eventId: string,
  recipient: Pick<Recipient, "userId" | "clientIds">,
): string => (recipient.clientIds === undefined ? eventId : uuidV5(nameOf(recipient), eventId));

/** Where the overlay of a recipient is stored, if it is large. */
export const overlayIdOf = (eventId: string, recipient: Pick<Recipient, "userId" | "clientIds">): string =>
  uuidV5(nameOf(recipient), eventId);

const nameOf = ({ userId, clientIds = [] }: Pick<Recipient, "userId" | "clientIds">) =>
  [userId, ...clientIds].join("#");

/** Shorter than a queue takes to deliver the message of a worker that died again. */
const newMilliseconds = 3000;

/** Whether an event is old enough to be left over from a worker that died, and thus may have been handled in part. */
export const mayBeLeftOver = ({ committedAt }: Pick<EventMessage, "committedAt">, now: number): boolean =>
  now - committedAt >= newMilliseconds;
