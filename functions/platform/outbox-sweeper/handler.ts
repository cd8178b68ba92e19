import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { chunks } from "#shared/platform/chunks.ts";
import { committedAtOf, nudgeGroupOf } from "#shared/platform/messaging/outbox-item.ts";
import { OutboxSweep, type OverdueLane } from "#shared/platform/messaging/outbox-sweep.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { nudgeQueueOf, type QueueName } from "#shared/registry/queues.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

/** Messages that SQS accepts in one call. */
const batchSize = 10;
/** Time for one run, well below Lambda's limit; the next run starts where this one stops. */
const runMilliseconds = 40_000;

/**
 * Send again what was committed but not handled: the sender died, or the queue could not be reached. A message that
 * cannot be read or sent delays no other.
 */
export function createHandler({ clock, config, log, settings, sqs, sweep }: Deps) {
  async function send(queue: QueueName, lanes: readonly OverdueLane[]): Promise<number> {
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: config.queueUrl(nudgeQueueOf(queue)),
        // The newest message of a lane is enough: the worker handles all up to that one.
        Entries: lanes.map(({ newest: { lane, messageId }, group }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify({ lane, messageId, isResent: true }),
          // Not the id of the first send, because SQS would drop it as a duplicate.
          ...(group !== undefined && {
            MessageGroupId: nudgeGroupOf(queue, group),
            MessageDeduplicationId: `${messageId}#${clock()}`,
          }),
        })),
      }),
    );
    const failed = new Set(Failed.map(({ Id }) => Number(Id)));
    const sent = lanes.filter((_, index) => !failed.has(index));
    await Promise.all(sent.map((lane) => sweep.noteSent(lane)));
    log.warn("outbox-swept", { queue, resent: sent.length, failed: failed.size });
    return failed.size;
  }

  /** @returns the number of messages that could not be sent */
  async function sendAll(queue: QueueName, lanes: readonly OverdueLane[]): Promise<number> {
    const outcomes = await Promise.all(
      chunks(lanes, batchSize).map((batch) =>
        send(queue, batch).catch((error: unknown) => {
          log.error("outbox-sweep-failed", { queue, error: error as Error });
          return batch.length;
        }),
      ),
    );
    return outcomes.reduce((sum, failed) => sum + failed, 0);
  }

  return async (): Promise<void> => {
    const startedAt = clock();
    const oldest = new Map<QueueName, number>();
    const parked = new Map<QueueName, number>();
    let failed = 0;
    do {
      const page = await sweep.nextPage(settings.outboxResendSeconds);
      for (const { queue, oldest: item } of page.lanes) {
        oldest.set(queue, Math.min(oldest.get(queue) ?? startedAt, committedAtOf(item)));
      }
      for (const { queue } of page.parked) parked.set(queue, (parked.get(queue) ?? 0) + 1);
      const byQueue = Map.groupBy(
        page.lanes.filter(({ isDue }) => isDue),
        ({ queue }) => queue,
      );
      for (const [queue, lanes] of byQueue) failed += await sendAll(queue, lanes);
    } while (!sweep.isAtEnd && clock() - startedAt < runMilliseconds);
    // No values for queues without problems: a metric costs for each hour in which it has a value.
    const ages = [...oldest].map(([queue, committedAt]) => [queue, (clock() - committedAt) / 1000] as const);
    for (const [queue, value] of ages)
      emitMetric("OldestOutboxItemSeconds", { value, unit: "Seconds", queue, log });
    for (const [queue, value] of parked) emitMetric("ParkedMessages", { value, unit: "Count", queue, log });
    // Sum for alarms, which cost more for each metric that they read.
    const highest = Math.max(...ages.map(([, value]) => value));
    if (ages.length > 0)
      emitMetric("OldestOutboxItemSeconds", { value: highest, unit: "Seconds", outbox: "all", log });
    const sum = [...parked.values()].reduce((total, count) => total + count, 0);
    if (sum > 0) emitMetric("ParkedMessages", { value: sum, unit: "Count", outbox: "all", log });
    if (failed > 0) throw new Error(`${failed} messages could not be sent`);
  };
}

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    sweep: OutboxSweep,
  },
  () => ({
    sqs: new SQSClient(awsClientOptions()),
  }),
);
