import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { createLeasedWorker } from "#shared/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/messaging/outbox-item.ts";
import { OutboxWorker } from "#shared/messaging/outbox-worker.ts";
import { queues } from "#shared/messaging/queues.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

/** A lease ends before SQS hands the message out again. */
const leaseSeconds = queues.erasures.visibilityTimeoutSeconds - 10;

export function createApp(config: Config, overrides?: Overrides) {
  const { clock, log } = createRuntime("erasure", config, overrides);
  const outbox = new OutboxWorker(createDocumentClient(), config, clock);
  const handle = async (_item: OutboxItem): Promise<void> => {};
  return createLeasedWorker(outbox, handle, { leaseSeconds, log });
}
