import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import { causedBy } from "#shared/platform/messaging/outbox-item.ts";
import { botService } from "./event-message.ts";

/** An event that is to be called out to the service of a bot. */
export const botEvent = storedObject({
  ...causedBy,
  /** Distinguishes it from all others for the bot, however often it is handed on. */
  id: z.uuid(),
  botId: z.uuid(),
  service: botService,
  /** Id of the event, under which it is stored if it is not in here. */
  eventId: z.uuid(),
  /** The event as JSON, without what only this bot sees, unless it is too large for the queue. */
  event: z.string().optional(),
  /** What only this bot sees, as JSON, or the id under which that is stored. */
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
