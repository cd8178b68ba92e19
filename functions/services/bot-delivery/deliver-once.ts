import type { BotEvent } from "#shared/events/bot-event.ts";
import type { NotificationStore } from "#shared/events/notification-store.ts";
import type { Log } from "#shared/platform/log.ts";
import { type BotCalls, isQuick } from "#shared/services/bot-calls.ts";
import { readBotEvent } from "#shared/services/bot-event-worker.ts";
import { reportLoss } from "#shared/services/lost-bot-events.ts";
import type { Service } from "#shared/services/service.ts";

interface Deps {
  readonly calls: BotCalls;
  readonly log: Log;
  readonly notifications: Pick<NotificationStore, "payloads">;
}

/** Why the queue of slow bots gets an event. */
export type FailedDelivery = "failed" | "gone";

/**
 * Make one attempt to deliver an event.
 * @returns how soon the service has accepted or refused it; or why the queue of slow bots gets it, because the service fails or
 * does not know the bot any more
 */
export async function deliverOnce(
  deps: Deps,
  { service, botEvent }: { service: Service; botEvent: BotEvent },
): Promise<"quickly" | "slowly" | FailedDelivery> {
  const lose = (reason: string) =>
    reportLoss({ queue: "bot-events", event: botEvent, reason, log: deps.log });
  const event = await readBotEvent(deps, botEvent);
  if (event === undefined) {
    lose("no longer stored");
    return "quickly";
  }
  const attempt = await deps.calls.deliver(service, botEvent.botId, event);
  if (attempt.outcome === "failed" || attempt.outcome === "gone") return attempt.outcome;
  if (attempt.outcome === "refused") lose(attempt.reason);
  return isQuick(attempt) ? "quickly" : "slowly";
}
