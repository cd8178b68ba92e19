import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import type { OutboxKey } from "#shared/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/messaging/outbox-worker.ts";
import { type QueueName, queues } from "#shared/messaging/queues.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

/** Most that SQS takes in one call. */
const batchSize = 10;

/** Sends to their queue what was committed but not handled: its sender died, or the queue could not be reached. */
export function createApp(config: Config, overrides?: Overrides) {
  const { clock, log, settings } = createRuntime("outbox-sweeper", config, overrides);
  const outbox = new OutboxWorker(createDocumentClient(), config, clock);
  const sqs = new SQSClient();

  async function send(queue: QueueName, keys: readonly OutboxKey[]): Promise<void> {
    if (keys.length === 0) return;
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: config.queueUrl(queue),
        Entries: keys.map((key, index) => ({ Id: String(index), MessageBody: JSON.stringify(key) })),
      }),
    );
    log.warn("outbox-swept", { queue, resent: keys.length - Failed.length, failed: Failed.length });
  }

  return async (): Promise<void> => {
    for (const queue of Object.keys(queues) as QueueName[]) {
      let batch: OutboxKey[] = [];
      for await (const key of outbox.overdue(queue, settings.outboxResendSeconds)) {
        batch.push(key);
        if (batch.length < batchSize) continue;
        await send(queue, batch);
        batch = [];
      }
      await send(queue, batch);
    }
  };
}
