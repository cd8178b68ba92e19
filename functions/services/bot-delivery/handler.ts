import { SQSClient } from "@aws-sdk/client-sqs";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { isResting } from "#shared/services/bot-backlog.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { BotCalls } from "#shared/services/bot-calls.ts";
import { type BotJob, createBotEventWorker } from "#shared/services/bot-event-worker.ts";
import { hasFailedRepeatedly, reportLoss } from "#shared/services/lost-bot-events.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { deliverOnce, type FailedDelivery } from "./deliver-once.ts";
import { handOn } from "./hand-on.ts";

const queue = "bot-events";
/** A bot whose events wait longer than this does not keep up with them. */
const longestWaitMilliseconds = 10_000;

/**
 * Handle events from the queue `bot-events`, with one attempt each. When a bot's service fails, takes long or does not
 * keep up, that event (if it failed) and all that follow go to the queue of slow bots, until the bot has caught up.
 */
export function createHandler(deps: Deps) {
  const { backlogs, clock, log, services } = deps;

  async function* serve(jobs: readonly [BotJob, ...BotJob[]]): AsyncGenerator<BotJob> {
    const { botId, service: ref } = jobs[0].event;
    const [service, backlog] = await Promise.all([services.get(ref.provider, ref.id), backlogs.get(botId)]);
    if (service?.isEnabled === false) return yield* jobs;
    if (service && backlog && isResting(backlog, service, clock())) return yield* lose(jobs);
    let done = 0;
    let failure: FailedDelivery | undefined;
    for (const job of jobs) {
      if (service === undefined || backlog !== undefined || isLate(job)) break;
      const delivered = await deliverOnce(deps, { service, botEvent: job.event });
      if (delivered === "failed" || delivered === "gone") {
        failure = delivered;
        break;
      }
      if (delivered === "slowly") await backlogs.note(botId, job.event.id);
      done++;
      yield job;
      if (delivered === "slowly") break;
    }
    yield* handOn(deps, jobs.slice(done), failure);
  }

  async function* lose(jobs: readonly BotJob[]): AsyncGenerator<BotJob> {
    for (const job of jobs) {
      reportLoss({ queue, event: job.event, reason: hasFailedRepeatedly, log });
      yield job;
    }
  }

  const isLate = ({ record }: BotJob) =>
    clock() - Number(record.attributes.SentTimestamp) > longestWaitMilliseconds;

  return createBotEventWorker(serve, { ...deps, queue });
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  { backlogs: BotBacklogStore, calls: BotCalls, notifications: NotificationStore, services: ServiceStore },
  () => ({ sqs: new SQSClient(awsClientOptions()) }),
);
