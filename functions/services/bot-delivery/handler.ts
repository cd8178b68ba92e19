import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { BotEvent } from "#shared/events/bot-event.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { isResting } from "#shared/services/bot-backlog.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { BotCalls, isQuick } from "#shared/services/bot-calls.ts";
import { type BotJob, createBotEventWorker, readBotEvent } from "#shared/services/bot-event-worker.ts";
import { hasFailedRepeatedly, reportLoss } from "#shared/services/lost-bot-events.ts";
import type { Service } from "#shared/services/service.ts";
import { ServiceStore } from "#shared/services/service-store.ts";

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
      const delivered = await deliverOnce(deps, service, job.event);
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

/** Why the queue of slow bots gets an event. */
type FailedDelivery = "failed" | "gone";

/**
 * Make one attempt to deliver an event.
 * @returns how soon the service has accepted or refused it; or why the queue of slow bots gets it, because the service
 * fails or does not know the bot any more
 */
async function deliverOnce(
  deps: Deps,
  service: Service,
  botEvent: BotEvent,
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
  return isQuick(attempt) ? "quickly" : "slowly";
}

/**
 * Pass events of a bot on to the queue of slow bots, in order. While one of them is there, all later ones must follow.
 * @param failure outcome of the attempt at the first of them, if there was one
 * @returns yields each once it is there
 */
async function* handOn(
  { backlogs, clock, config, sqs }: Deps,
  jobs: readonly BotJob[],
  failure?: FailedDelivery,
): AsyncGenerator<BotJob> {
  const last = jobs.at(-1)?.event;
  if (last === undefined) return;
  await backlogs.note(last.botId, last.id);
  for (const [index, job] of jobs.entries()) {
    const outcome = index === 0 ? failure : undefined;
    const slow = {
      since: clock(),
      attempts: outcome === undefined ? 0 : 1,
      ...(outcome === "gone" && { isGone: true as const }),
    };
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: config.queueUrl("slow-bot-events"),
        MessageBody: toSqsText({ ...job.event, slow } satisfies BotEvent),
        MessageGroupId: job.event.botId,
        MessageDeduplicationId: job.event.id,
      }),
    );
    yield job;
  }
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  { backlogs: BotBacklogStore, calls: BotCalls, notifications: NotificationStore, services: ServiceStore },
  () => ({ sqs: new SQSClient(awsClientOptions()) }),
);
