import type { BotService } from "#shared/events/event-message.ts";
import type { Log } from "#shared/platform/log.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import type { BotQueue } from "./bot-event-worker.ts";

/** An event is lost that has waited for longer in other queues than the usual one: the bot does not keep up. */
export const longestWaitMilliseconds = 120_000;

/** Why nothing is delivered to a bot that rests. */
export const hasFailedRepeatedly = "the bot has failed repeatedly";

interface Loss {
  readonly queue: BotQueue;
  readonly botId: string;
  readonly service: BotService;
  readonly reason: string;
  readonly log: Log;
}

/** Report that a bot does not get an event: whose bot it is, but nothing of the event. */
export function reportLoss({ queue, botId, service, reason, log }: Loss): void {
  log.warn("bot-event-lost", { providerId: service.provider, serviceId: service.id, botId, reason });
  emitMetric("LostBotEvents", { value: 1, unit: "Count", queue, log });
}
