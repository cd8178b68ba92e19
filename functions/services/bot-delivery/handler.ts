import { SendMessageCommand } from "@aws-sdk/client-sqs";
import type { BotEvent } from "#shared/events/bot-event.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import { type Attempt, isQuick } from "#shared/services/bot-calls.ts";
import { type BotJob, createBotEventWorker } from "#shared/services/bot-event-worker.ts";
import { reportLoss } from "#shared/services/lost-bot-events.ts";
import { readBotEvent } from "#shared/services/read-bot-event.ts";
import type { Service } from "#shared/services/service.ts";
import type { Deps } from "./deps.ts";

const queue = "bot-events";
/** A bot whose events wait longer than this does not keep up with them. */
const longestWaitMilliseconds = 10_000;

/**
 * Handle events from the queue `bot-events`, with one attempt each. When a bot's service fails, takes long or does not
 * keep up, that event (if it failed) and all that follow go to the queue of slow bots, until the bot has caught up.
 */
export function createHandler(deps: Deps) {
  const { backlogs, calls, clock, config, log, services, sqs } = deps;

  async function* serve(jobs: readonly [BotJob, ...BotJob[]]): AsyncGenerator<BotJob> {
    const { botId, service: ref } = jobs[0].event;
    const [service, backlog] = await Promise.all([services.get(ref.provider, ref.id), backlogs.get(botId)]);
    if (service?.isEnabled === false) return yield* jobs;
    let done = 0;
    let attempts = 0;
    while (service !== undefined && backlog === undefined && done < jobs.length) {
      const job = jobs[done];
      if (job === undefined || isLate(job)) break;
      const attempt = await tryOnce(service, job.event);
      // Whoever makes the other attempts also removes bots that are gone.
      attempts = attempt.outcome === "failed" ? 1 : 0;
      if (attempt.outcome === "failed" || attempt.outcome === "gone") break;
      if (attempt.outcome === "refused")
        reportLoss({ queue, botId, service: ref, reason: attempt.reason, log });
      if (!isQuick(attempt)) await backlogs.note(botId, job.event.id);
      done++;
      yield job;
      if (!isQuick(attempt)) break;
    }
    yield* handOver(jobs.slice(done), attempts);
  }

  const isLate = ({ record }: BotJob) =>
    clock() - Number(record.attributes.SentTimestamp) > longestWaitMilliseconds;

  async function tryOnce(service: Service, botEvent: BotEvent): Promise<Attempt> {
    const event = await readBotEvent(deps, botEvent);
    if (event === undefined) return { outcome: "refused", reason: "no longer stored", milliseconds: 0 };
    return calls.deliver(service, botEvent.botId, event);
  }

  /** @param attempts how many have failed for the first of the events */
  async function* handOver(jobs: readonly BotJob[], attempts: number): AsyncGenerator<BotJob> {
    const last = jobs.at(-1)?.event;
    if (last === undefined) return;
    await backlogs.note(last.botId, last.id);
    for (const [index, job] of jobs.entries()) {
      const slow = { since: clock(), attempts: index === 0 ? attempts : 0 };
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

  return createBotEventWorker(serve, { ...deps, queue });
}
