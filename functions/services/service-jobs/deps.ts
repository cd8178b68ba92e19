import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    bots: new BotStore(stores),
    conversations: new ConversationStore(stores),
    events: new EventPublisher(outbox, runtime),
    outbox,
    outboxWorker: new OutboxWorker(stores),
    providers: new ProviderStore(stores),
    services: new ServiceStore(stores),
    whitelist: new ServiceWhitelistStore(stores),
  };
}
