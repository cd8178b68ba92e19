import { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import { chunks } from "#shared/platform/chunks.ts";
import type { StoredMessage } from "#shared/platform/messaging/outbox-item.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { outboxQueues, type QueueName } from "#shared/registry/queues.ts";
import type { Deps } from "./deps.ts";

/** Messages that SQS accepts in one call. */
const batchSize = 10;

/** Resend messages that were committed but not handled: the sender died, or the queue could not be reached. */
export function createHandler({ clock, config, log, outbox, settings, sqs }: Deps) {
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
    // The newest message of a group is enough: the worker handles all up to that one.
    const items = new Map<string, StoredMessage>();
    for await (const item of outbox.overdue(queue, settings.outboxResendSeconds)) {
      oldest = Math.min(oldest, Date.parse(item.messageId.slice(0, item.messageId.indexOf("#"))));
      items.set(item.group ?? item.messageId, item);
    }
    for (const batch of chunks([...items.values()], batchSize)) await send(queue, batch);
    emitMetric("OldestOutboxItemSeconds", { value: (clock() - oldest) / 1000, unit: "Seconds", queue, log });
  }

  return async (): Promise<void> => {
    for (const queue of outboxQueues) await sweep(queue);
  };
}
