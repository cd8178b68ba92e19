import type { BotEvent } from "#shared/events/bot-event.ts";
import type { Log } from "#shared/platform/log.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import type { BotQueue } from "./bot-event-worker.ts";

/** An event is lost when it has waited for longer than this in the queue for slow bots, because the bot does not keep up. */
export const longestWaitMilliseconds = 120_000;

/** Why nothing is delivered to a bot that rests. */
export const hasFailedRepeatedly = "the bot has failed repeatedly";

interface Loss {
  readonly queue: BotQueue;
  readonly event: Pick<BotEvent, "botId" | "service" | "requestId">;
  readonly reason: string;
  readonly log: Log;
}

/** Report that a bot does not get an event, with the bot and the request behind the event, but without its content. */
export function reportLoss({ queue, event, reason, log }: Loss): void {
  const { botId, service, requestId } = event;
  log.warn("bot-event-lost", {
    providerId: service.provider,
    serviceId: service.id,
    botId,
    reason,
    requestId,
  });
  emitMetric("LostBotEvents", { value: 1, unit: "Count", queue, log });
}
