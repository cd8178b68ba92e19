import { SQSClient } from "@aws-sdk/client-sqs";
import type { BotEvent } from "#shared/events/bot-event.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { BotCalls } from "#shared/services/bot-calls.ts";
import { type BotJob, createBotEventWorker } from "#shared/services/bot-event-worker.ts";
import { deliverOnce, type FailedDelivery } from "#shared/services/deliver-once.ts";
import { handOn } from "#shared/services/hand-on.ts";
import { longestWaitMilliseconds, reportLoss } from "#shared/services/lost-bot-events.ts";
import type { Service } from "#shared/services/service.ts";
import { ServiceStore } from "#shared/services/service-store.ts";

const queue = "slow-bot-events";
/** A run starts no further event after this time: an attempt takes five seconds, and a function has 30. */
const runMilliseconds = 20_000;

/**
 * Handle events from the queue `slow-bot-events`, with one attempt each. When an event fails, it and the later ones of
 * the bot go to the queue of failing bots. After its last event here was delivered quickly, a bot returns to the usual
 * queue.
 */
export function createHandler(deps: Deps) {
  const { backlogs, clock, log, ownBacklogs, services } = deps;

  async function* serve(jobs: readonly [BotJob, ...BotJob[]]): AsyncGenerator<BotJob> {
    const { botId, service: ref } = jobs[0].event;
    const [service, own, backlog] = await Promise.all([
      services.get(ref.provider, ref.id),
      ownBacklogs.get(botId),
      backlogs.get(botId),
    ]);
    const stopAt = performance.now() + runMilliseconds;
    let done = 0;
    let failure: FailedDelivery | undefined;
    for (const job of jobs) {
      const { id, slow } = job.event;
      const hasFailed = slow !== undefined && slow.attempts > 0;
      if (service === undefined || backlog !== undefined || hasFailed) break;
      if (performance.now() > stopAt) throw new Error("The events of a bot take longer than a run");
      const delivered = await deliver(service, job.event);
      if (delivered === "failed" || delivered === "gone") {
        failure = delivered;
        break;
      }
      // The note is removed only after the event that it names, so that the next one cannot overtake.
      if (delivered === "quickly" && own?.lastEventId === id) await ownBacklogs.remove(own);
      done++;
      yield job;
    }
    yield* handOn(deps, jobs.slice(done), failure);
  }

  async function deliver(service: Service, botEvent: BotEvent) {
    if (!service.isEnabled) return "quickly";
    if (clock() - (botEvent.slow?.since ?? clock()) <= longestWaitMilliseconds)
      return deliverOnce(deps, { queue, service, botEvent });
    reportLoss({ queue, event: botEvent, reason: "the bot does not keep up", log });
    return "slowly";
  }

  return createBotEventWorker(serve, { ...deps, queue });
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    calls: BotCalls,
    notifications: NotificationStore,
    services: ServiceStore,
  },
  (deps) => ({
    backlogs: new BotBacklogStore(deps, "failing-bot-events"),
    ownBacklogs: new BotBacklogStore(deps, "slow-bot-events"),
    sqs: new SQSClient(awsClientOptions()),
  }),
);
