import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import { causedBy } from "#shared/platform/messaging/outbox-item.ts";
import { botService } from "./event-message.ts";

/** An event that is to be sent to the service of a bot. */
export const botEvent = storedObject({
  ...causedBy,
  /** Identifies it among the events of the bot, even if it is passed on several times. */
  id: z.uuid(),
  botId: z.uuid(),
  service: botService,
  /** Id of the event, under which it is stored if it is not in this message. */
  eventId: z.uuid(),
  /** The event as JSON, without the parts for this bot only; absent if it is too large for the queue. */
  event: z.string().optional(),
  /** The parts for this bot only, as JSON, or the id under which they are stored. */
  overlay: z.string().optional(),
  overlayId: z.uuid().optional(),
  /** Set once the event has gone to another queue than the usual one. */
  slow: storedObject({
    /** Unix milliseconds. */
    since: z.int(),
    /** Attempts that have failed. */
    attempts: z.int(),
    /** Whether the last one has shown that the service does not know the bot any more. */
    isGone: z.literal(true).optional(),
  }).optional(),
});
export type BotEvent = z.infer<typeof botEvent>;
