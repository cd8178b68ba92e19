import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { EventPublisher } from "#shared/events/publisher.ts";
import { type NativePush, nativePush } from "#shared/events/push/native-push.ts";
import { PushEndpointStore } from "#shared/events/push/push-endpoint-store.ts";
import { PushProvider } from "#shared/events/push/push-provider.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { revokeEndpoint } from "#shared/events/push/remove-push-tokens.ts";
import { createBatchWorker } from "#shared/platform/messaging/batch-worker.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { onBehalfOf } from "#shared/platform/request-id.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

/**
 * Handle messages from the queue `native-pushes`: one after another per endpoint, different endpoints concurrently. A
 * failing push delays only those for its own endpoint.
 */
export function createHandler(deps: Deps) {
  const { clock, log, provider } = deps;

  async function wake(push: NativePush): Promise<void> {
    const noticedAt = clock();
    if (await provider.push(push)) return;
    await revokeEndpoint(deps, { endpointArn: push.endpointArn, noticedAt });
  }

  /** @returns the messages that must be delivered again */
  async function wakeInOrder(records: readonly SQSRecord[]): Promise<readonly SQSRecord[]> {
    for (const [index, record] of records.entries()) {
      let requestId: string | undefined;
      try {
        const push = nativePush.parse(JSON.parse(record.body));
        requestId = push.requestId;
        await onBehalfOf(requestId, () => wake(push));
      } catch (error) {
        log.error("push-failed", { sqsMessageId: record.messageId, requestId, error: error as Error });
        emitMetric("FailedPushes", { value: 1, unit: "Count", queue: "native-pushes", log });
        return records.slice(index);
      }
    }
    return [];
  }

  async function run({ Records }: SQSEvent): Promise<SQSBatchResponse> {
    const groups = Map.groupBy(
      Records,
      ({ attributes, messageId }) => attributes.MessageGroupId ?? messageId,
    );
    const failed = await Promise.all([...groups.values()].map(wakeInOrder));
    return { batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }

  return createBatchWorker(run, { ...deps, queue: "native-pushes" });
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  events: EventPublisher,
  provider: PushProvider,
  pushEndpoints: PushEndpointStore,
  pushTokens: PushTokenStore,
});
