import { EventPublisher } from "#shared/events/publisher.ts";
import { PushEndpointStore } from "#shared/events/push/push-endpoint-store.ts";
import { PushProvider } from "#shared/events/push/push-provider.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    events: new EventPublisher(outbox, runtime),
    outbox,
    outboxWorker: new OutboxWorker(stores),
    provider: new PushProvider(),
    pushEndpoints: new PushEndpointStore(stores),
    pushTokens: new PushTokenStore(stores),
  };
}
