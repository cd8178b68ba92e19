import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { BotEvent } from "#shared/events/bot-event.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import type { BotBacklogStore } from "./bot-backlog-store.ts";
import type { BotJob } from "./bot-event-worker.ts";
import type { FailedDelivery } from "./deliver-once.ts";

interface Deps {
  /** URL of the queue to which the events go. */
  readonly backlogs: BotBacklogStore;
  readonly clock: Clock;
  readonly config: Pick<Config, "queueUrl">;
  readonly sqs: SQSClient;
}

/**
 * Pass events of a bot on to the next queue, in order. While one of them is there, all later ones must follow.
 * @param failure outcome of the attempt at the first of them, if there was one
 * @returns yields each once it is there
 */
export async function* handOn(
  { backlogs, clock, config, sqs }: Deps,
  jobs: readonly BotJob[],
  failure?: FailedDelivery,
): AsyncGenerator<BotJob> {
  const last = jobs.at(-1)?.event;
  if (last === undefined) return;
  await backlogs.note(last.botId, last.id);
  for (const [index, job] of jobs.entries()) {
    const { since = clock(), attempts = 0, ...known } = job.event.slow ?? {};
    const hasFailed = index === 0 && failure !== undefined;
    const slow = {
      ...known,
      since,
      attempts: hasFailed ? attempts + 1 : attempts,
      ...(hasFailed && failure === "gone" && { isGone: true as const }),
    };
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: config.queueUrl(backlogs.queue),
        MessageBody: toSqsText({ ...job.event, slow } satisfies BotEvent),
        MessageGroupId: job.event.botId,
        MessageDeduplicationId: job.event.id,
      }),
    );
    yield job;
  }
}
