import type { BotEvent } from "#shared/events/bot-event.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import type { Deps } from "./deps.ts";
import { sendInOrder } from "./send-in-order.ts";

/**
 * Send events to the queue of bots, in the order of each bot. Messages that were sent within the last five minutes are
 * not sent again.
 * @returns ids of the events that have not been sent to all their bots
 */
export const sendToBots = (deps: Deps, events: readonly BotEvent[]): Promise<Set<string>> =>
  sendInOrder(
    deps,
    "bot-events",
    events.map((event) => ({
      group: event.botId,
      body: toSqsText(event),
      deduplicationId: event.id,
      eventIds: [event.eventId],
    })),
  );
