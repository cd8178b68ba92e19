import type { BotEvent } from "#shared/events/bot-event.ts";
import type { NotificationStore } from "#shared/events/notification-store.ts";
import type { Log } from "#shared/platform/log.ts";
import type { BotCalls } from "./bot-calls.ts";
import { type BotQueue, readBotEvent } from "./bot-event-worker.ts";
import { reportLoss } from "./lost-bot-events.ts";
import type { Service } from "./service.ts";

interface Deps {
  readonly calls: BotCalls;
  readonly log: Log;
  readonly notifications: Pick<NotificationStore, "payloads">;
}

/** Why the next queue gets an event. */
export type FailedDelivery = "failed" | "gone";

/** An answer within this time is quick; services that need longer are kept apart from the others. */
const quickMilliseconds = 1000;

/**
 * Make one attempt to deliver an event.
 * @returns how soon the service has accepted or refused it; or why the next queue gets it, because the service fails or
 * does not know the bot any more
 */
export async function deliverOnce(
  deps: Deps,
  { queue, service, botEvent }: { queue: BotQueue; service: Service; botEvent: BotEvent },
): Promise<"quickly" | "slowly" | FailedDelivery> {
  const lose = (reason: string) => reportLoss({ queue, event: botEvent, reason, log: deps.log });
  const event = await readBotEvent(deps, botEvent);
  if (event === undefined) {
    lose("no longer stored");
    return "quickly";
  }
  const attempt = await deps.calls.deliver(service, botEvent.botId, event);
  if (attempt.outcome === "failed" || attempt.outcome === "gone") return attempt.outcome;
  if (attempt.outcome === "refused") lose(attempt.reason);
  return attempt.milliseconds <= quickMilliseconds ? "quickly" : "slowly";
}
