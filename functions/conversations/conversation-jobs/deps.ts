import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  return {
    ...runtime,
    conversations: new ConversationStore(stores),
    outboxWorker: new OutboxWorker(stores),
  };
}
