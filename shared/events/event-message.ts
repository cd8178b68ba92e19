import { v5 as uuidV5 } from "uuid";
import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import { pushPriority } from "./push/native-push.ts";

/** The service of a bot. */
export const botService = storedObject({ id: z.uuid(), provider: z.uuid() });

/** A user may be named several times, with different devices: each gets its own notification. */
export const recipientFields = {
  userId: z.uuid(),
  /** Devices that may see it; absent: all. */
  clientIds: z.array(z.string()).optional(),
  /** The part that only this recipient sees; see `withOverlay`. */
  overlay: z.looseObject({}).optional(),
  /** Whether the id is that of a team: the event goes to the team's log, which its members read. */
  isTeam: z.literal(true).optional(),
  /** Whether the recipient is created together with the event, so that its log has no earlier events. */
  isNew: z.literal(true).optional(),
  /** Whether the function that sends the event also stores it in the recipient's log; see `OwnEvents`. */
  isStoredBySender: z.literal(true).optional(),
  /** Bots only: the service that gets the event instead of a log and sockets. */
  service: botService.optional(),
};

/**
 * Members of a team. Beyond the size `maxFanoutSize`, members get nothing and read the team's log of notifications
 * instead.
 */
const teamAudience = storedObject({
  teamId: z.uuid(),
  /** `all-unless-limited`: only admins if the team has the feature `limitedEventFanout`. */
  members: z.enum(["all", "admins", "all-unless-limited"]),
});
export type TeamAudience = z.infer<typeof teamAudience>;

/** Fields that messages of `deliveries` take from the outbox unchanged. */
export const deliveryFields = {
  eventId: z.uuid(),
  isTransient: z.boolean(),
  /** Whether recipients see themselves apart from the others in `data.members`. */
  hasOwnViews: z.boolean(),
  /** The connection whose sockets are left out. */
  origin: storedObject({ userId: z.uuid(), connectionId: z.string() }).optional(),
  /** Whether, and how soon, to wake devices that no socket reaches; not those of the user who caused it. */
  push: storedObject({ priority: pushPriority, exceptUserId: z.uuid().optional() }).optional(),
  /** Its backlog: the conversation and the sender; absent for events that count towards no backlog. */
  source: storedObject({ group: z.string(), userId: z.uuid().optional() }).optional(),
  /** Unix milliseconds of the commit. */
  committedAt: z.int(),
};

/** Message of the outbox: an event and some of its recipients, until it has been stored and posted for them. */
export const eventMessage = storedObject({
  ...deliveryFields,
  /** May contain anything that clients send; payloads of the outbox are text, so DynamoDB's limits do not apply. */
  event: z.looseObject({ type: z.string() }),
  recipients: z.array(storedObject(recipientFields)),
  /** User whose accepted connections also get it; they are looked up on delivery. */
  contactsOf: z.uuid().optional(),
  /** Team whose members also get it; they are looked up on delivery. */
  membersOf: teamAudience.optional(),
});
export type EventMessage = z.infer<typeof eventMessage>;
export type Recipient = EventMessage["recipients"][number];

/**
 * Identifies an event's notification among those of the recipient, even if it is passed on several times: the id of the
 * event, unless there may be several for different devices.
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

/** Shorter than the time after which a queue redelivers the message of a dead worker. */
const newMilliseconds = 3000;

/** Whether an event is so old that a worker may have died after handling a part of it. */
export const mayBeUnfinished = ({ committedAt }: Pick<EventMessage, "committedAt">, now: number): boolean =>
  now - committedAt >= newMilliseconds;
