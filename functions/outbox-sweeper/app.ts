import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { chunks } from "#shared/chunks.ts";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import type { StoredMessage } from "#shared/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/messaging/outbox-worker.ts";
import { type QueueName, queues } from "#shared/messaging/queues.ts";
import { emitMetric } from "#shared/metrics.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

/** Most that SQS takes in one call. */
const batchSize = 10;

/** Sends to their queue what was committed but not handled: its sender died, or the queue could not be reached. */
export function createApp(config: Config, overrides?: Overrides) {
  const { clock, log, settings } = createRuntime("outbox-sweeper", config, overrides);
  const outbox = new OutboxWorker(createDocumentClient(), config, clock);
  const sqs = new SQSClient();

  async function send(queue: QueueName, items: readonly StoredMessage[]): Promise<void> {
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: config.queueUrl(queue),
        Entries: items.map(({ shard, messageId, group }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify({ shard, messageId, group }),
          // Not the id of the first send, which SQS would take for a repetition and drop.
          ...(group !== undefined && {
            MessageGroupId: group,
            MessageDeduplicationId: `${messageId}#${clock()}`,
          }),
        })),
      }),
    );
    log.warn("outbox-swept", { queue, resent: items.length - Failed.length, failed: Failed.length });
  }

  async function sweep(queue: QueueName): Promise<void> {
    let oldest = clock();
    // Of a group the newest is enough: its worker handles all up to it.
    const items = new Map<string, StoredMessage>();
    for await (const item of outbox.overdue(queue, settings.outboxResendSeconds)) {
      oldest = Math.min(oldest, Date.parse(item.messageId.slice(0, item.messageId.indexOf("#"))));
      items.set(item.group ?? item.messageId, item);
    }
    for (const batch of chunks([...items.values()], batchSize)) await send(queue, batch);
    emitMetric("OldestOutboxItemSeconds", { value: (clock() - oldest) / 1000, unit: "Seconds", queue, log });
  }

  return async (): Promise<void> => {
    for (const queue of Object.keys(queues) as QueueName[]) await sweep(queue);
  };
}
