import { EventPublisher } from "#shared/events/publisher.ts";
import { PushEndpointStore } from "#shared/events/push/push-endpoint-store.ts";
import { PushProvider } from "#shared/events/push/push-provider.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  events: EventPublisher,
  outboxWorker: OutboxWorker,
  provider: PushProvider,
  pushEndpoints: PushEndpointStore,
  pushTokens: PushTokenStore,
});
