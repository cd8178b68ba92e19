import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { BotCalls } from "#shared/services/bot-calls.ts";
import { ServiceStore } from "#shared/services/service-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    backlogs: new BotBacklogStore(stores, "failing-bot-events"),
    bots: new BotStore(stores),
    calls: new BotCalls(runtime),
    conversations: new ConversationStore(stores),
    events: new EventPublisher(outbox, runtime),
    notifications: new NotificationStore(stores),
    outbox,
    services: new ServiceStore(stores),
    slowBacklogs: new BotBacklogStore(stores, "slow-bot-events"),
  };
}
