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
import type { BotBacklog } from "#shared/services/bot-backlog.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { type Attempt, BotCalls } from "#shared/services/bot-calls.ts";
import { type BotJob, createBotEventWorker, readBotEvent } from "#shared/services/bot-event-worker.ts";
import {
  hasFailedRepeatedly,
  longestWaitMilliseconds,
  reportLoss,
} from "#shared/services/lost-bot-events.ts";
import type { Service } from "#shared/services/service.ts";
import { ServiceStore } from "#shared/services/service-store.ts";

const queue = "failing-bot-events";
const pauseMilliseconds = 1000;
/** A run starts no further event after this time: an event takes up to 23 seconds, and a function has 90. */
const runMilliseconds = 60_000;

/**
 * Handle events from the queue `failing-bot-events`, with all remaining attempts for each. A bot is removed when it or
 * its service no longer exists. After its last event here, a bot continues in the queue of slow bots.
 */
export function createHandler(deps: Deps) {
  const { backlogs, calls, clock, log, services, slowBacklogs } = deps;

  async function* serve(jobs: readonly [BotJob, ...BotJob[]]): AsyncGenerator<BotJob> {
    const { botId, service: ref } = jobs[0].event;
    const [service, backlog] = await Promise.all([services.get(ref.provider, ref.id), backlogs.get(botId)]);
    const stopAt = performance.now() + runMilliseconds;
    let health = service === undefined ? healthy : healthOf(backlog, service);
    for (const job of jobs) {
      if (performance.now() > stopAt) throw new Error("The events of a bot take longer than a run");
      const { isDone, ...next } = await onBehalfOf(job.event.requestId, () =>
        handle(job.event, service, health),
      );
      health = next;
      if (isDone && job.event.id === backlog?.lastEventId) await backlogs.remove(backlog);
      yield job;
    }
  }

  /** @returns the health of the bot afterwards, and whether it may return to the other queues */
  async function handle(
    botEvent: BotEvent,
    service: Service | undefined,
    health: Health,
  ): Promise<Health & { isDone: boolean }> {
    if (service?.isEnabled === false) return { ...health, isDone: true };
    const reason = reasonToSkip(health, botEvent.slow?.since ?? clock(), clock());
    if (reason !== undefined) {
      reportLost(botEvent, reason);
      return { ...health, isDone: false };
    }
    const event = await readBotEvent(deps, botEvent);
    if (event === undefined) {
      reportLost(botEvent, "no longer stored");
      return { ...health, isDone: true };
    }
    if (service === undefined || botEvent.slow?.isGone) {
      await remove(botEvent, event);
      return { ...health, isDone: true };
    }
    const attempt = await deliver(service, botEvent, event, health);
    if (attempt.outcome === "gone") await remove(botEvent, event);
    if (attempt.outcome === "failed" || attempt.outcome === "refused") reportLost(botEvent, attempt.reason);
    const isFailed = attempt.outcome === "failed";
    const next = isFailed ? afterFailure(health, clock()) : healthy;
    if (isFailed || health.failures > 0) {
      const { failures, restsUntil = 0 } = next;
      const { botId } = botEvent;
      const rating = { botId, failures, restsUntil, serviceRevision: service.revision };
      await Promise.all([backlogs.rate(rating), slowBacklogs.rate(rating)]);
    }
    return { ...next, isDone: !isFailed };
  }

  async function deliver(
    service: Service,
    { botId, slow }: BotEvent,
    event: EventFields,
    health: Health,
  ): Promise<Attempt> {
    const failedAttempts = slow?.attempts ?? 0;
    if (failedAttempts > 0) await delay(pauseMilliseconds);
    for (let left = attemptsLeft(health, failedAttempts) - 1; ; left--) {
      const attempt = await calls.deliver(service, botId, event);
      if (attempt.outcome !== "failed" || attempt.isFinal || left === 0) return attempt;
      await delay(pauseMilliseconds);
    }
  }

  /** Every event of a bot belongs to its only conversation. */
  const remove = ({ botId }: BotEvent, { conversation }: EventFields) =>
    removeBot(deps, { botId, conversationId: String(conversation) });

  const reportLost = (event: BotEvent, reason: string) => reportLoss({ queue, event, reason, log });

  return createBotEventWorker(serve, { ...deps, queue });
}

/** How deliveries to a bot have fared lately. */
export type Health = Pick<BotBacklog, "failures" | "restsUntil">;

export const healthy: Health = { failures: 0 };

/** All attempts at one event, those elsewhere included. */
const maxAttempts = 4;
/** Events in a row that may fail before a bot rests. */
const failuresBeforeRest = 2;
const firstRestMilliseconds = 5000;
const longestRestMilliseconds = 120_000;

/** The health of a bot; a service that has been changed since it failed gets another chance. */
export const healthOf = (backlog: BotBacklog | undefined, { revision }: Pick<Service, "revision">): Health =>
  backlog?.serviceRevision === revision ? backlog : healthy;

/** The number of attempts left for an event: only one if the previous event was lost. */
export const attemptsLeft = ({ failures }: Health, failedAttempts: number): number =>
  failures > 0 ? 1 : Math.max(1, maxAttempts - failedAttempts);

/** The health of a bot that has not got an event. */
export function afterFailure({ failures }: Health, now: number): Required<Health> {
  const rests = failures - failuresBeforeRest;
  const rest = rests < 0 ? 0 : Math.min(firstRestMilliseconds * 2 ** rests, longestRestMilliseconds);
  return { failures: failures + 1, restsUntil: now + rest };
}

/** Why no attempt is made at an event; undefined if one is made. */
export function reasonToSkip({ restsUntil = 0 }: Health, since: number, now: number): string | undefined {
  if (now < restsUntil) return hasFailedRepeatedly;
  return now - since > longestWaitMilliseconds ? "the bot does not keep up" : undefined;
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    outbox: Outbox,
    accounts: AccountStore,
    bots: BotStore,
    calls: BotCalls,
    conversations: ConversationStore,
    events: EventPublisher,
    notifications: NotificationStore,
    services: ServiceStore,
  },
  (deps) => ({
    backlogs: new BotBacklogStore(deps, "failing-bot-events"),
    slowBacklogs: new BotBacklogStore(deps, "slow-bot-events"),
  }),
);
