import { setTimeout as delay } from "node:timers/promises";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { removeBot } from "#shared/conversations/bots/remove-bot.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import type { BotEvent } from "#shared/events/bot-event.ts";
import type { EventFields } from "#shared/events/event-view.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { onBehalfOf } from "#shared/platform/request-id.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { type Attempt, BotCalls, isQuick } from "#shared/services/bot-calls.ts";
import { type BotJob, createBotEventWorker, readBotEvent } from "#shared/services/bot-event-worker.ts";
import { reportLoss } from "#shared/services/lost-bot-events.ts";
import type { Service } from "#shared/services/service.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { afterFailure, attemptsLeft, type Health, healthOf, healthy, reasonToSkip } from "./patience.ts";

const queue = "slow-bot-events";
const pauseMilliseconds = 1000;
/** A run starts no further event after this time: an event takes up to 23 seconds, and a function has 90. */
const runMilliseconds = 60_000;

/** What becomes of a bot after an event. */
interface Outcome {
  readonly health: Health;
  /** Whether the bot may return to the usual queue if this was its last event here. */
  readonly hasCaughtUp: boolean;
}

/**
 * Handle events from the queue `slow-bot-events`, with all remaining attempts for each. A bot is removed when it or its
 * service no longer exists. After its last event here was answered quickly, a bot returns to the usual queue.
 */
export function createHandler(deps: Deps) {
  const { backlogs, services } = deps;

  async function* serve(jobs: readonly [BotJob, ...BotJob[]]): AsyncGenerator<BotJob> {
    const { botId, service: ref } = jobs[0].event;
    const [service, backlog] = await Promise.all([services.get(ref.provider, ref.id), backlogs.get(botId)]);
    const stopAt = performance.now() + runMilliseconds;
    let health = service === undefined ? healthy : healthOf(backlog, service);
    for (const job of jobs) {
      if (performance.now() > stopAt) throw new Error("The events of a bot take longer than a run");
      const outcome = await onBehalfOf(job.event.requestId, () => handle(deps, job.event, service, health));
      health = outcome.health;
      // The note is removed only after the event that it names, so that the next one cannot overtake.
      if (outcome.hasCaughtUp && job.event.id === backlog?.lastEventId) await backlogs.remove(backlog);
      yield job;
    }
  }

  return createBotEventWorker(serve, { ...deps, queue });
}

async function handle(
  deps: Deps,
  botEvent: BotEvent,
  service: Service | undefined,
  health: Health,
): Promise<Outcome> {
  const { clock, log } = deps;
  const lose = (reason: string) => reportLoss({ queue, event: botEvent, reason, log });
  if (service?.isEnabled === false) return { health, hasCaughtUp: true };
  const reason = reasonToSkip(health, botEvent.slow?.since ?? clock(), clock());
  if (reason !== undefined) {
    lose(reason);
    return { health, hasCaughtUp: false };
  }
  const event = await readBotEvent(deps, botEvent);
  if (event === undefined) {
    lose("no longer stored");
    return { health, hasCaughtUp: true };
  }
  if (service === undefined || botEvent.slow?.isGone) {
    await remove(deps, botEvent, event);
    return { health, hasCaughtUp: true };
  }
  const attempt = await deliver(deps, service, { botEvent, event, health });
  if (attempt.outcome === "gone") await remove(deps, botEvent, event);
  if (attempt.outcome === "failed" || attempt.outcome === "refused") lose(attempt.reason);
  const isFailed = attempt.outcome === "failed";
  const next = isFailed ? afterFailure(health, clock()) : healthy;
  if (isFailed || health.failures > 0) await rate(deps, botEvent, service, next);
  return { health: next, hasCaughtUp: !isFailed && isQuick(attempt) };
}

async function deliver(
  { calls }: Deps,
  service: Service,
  { botEvent, event, health }: { botEvent: BotEvent; event: EventFields; health: Health },
): Promise<Attempt> {
  const failedAttempts = botEvent.slow?.attempts ?? 0;
  if (failedAttempts > 0) await delay(pauseMilliseconds);
  for (let left = attemptsLeft(health, failedAttempts) - 1; ; left--) {
    const attempt = await calls.deliver(service, botEvent.botId, event);
    if (attempt.outcome !== "failed" || attempt.isFinal || left === 0) return attempt;
    await delay(pauseMilliseconds);
  }
}

/** Every event of a bot belongs to its only conversation. */
const remove = (deps: Deps, { botId }: BotEvent, { conversation }: EventFields) =>
  removeBot(deps, { botId, conversationId: String(conversation) });

const rate = ({ backlogs }: Deps, { botId }: BotEvent, { revision }: Service, health: Health) =>
  backlogs.rate({
    botId,
    failures: health.failures,
    restsUntil: health.restsUntil ?? 0,
    serviceRevision: revision,
  });

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  backlogs: BotBacklogStore,
  bots: BotStore,
  calls: BotCalls,
  conversations: ConversationStore,
  events: EventPublisher,
  notifications: NotificationStore,
  services: ServiceStore,
});
