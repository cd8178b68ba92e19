import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { BotEvent } from "#shared/events/bot-event.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { toSqsText } from "#shared/platform/messaging/to-sqs-text.ts";
import type { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import type { BotJob } from "#shared/services/bot-event-worker.ts";
import type { FailedDelivery } from "./deliver-once.ts";

interface Deps {
  readonly backlogs: BotBacklogStore;
  readonly clock: Clock;
  readonly config: Pick<Config, "queueUrl">;
  readonly sqs: SQSClient;
}

/**
 * Pass events of a bot on to the queue of slow bots, in order. While one of them is there, all later ones must follow.
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
