import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  bots: BotStore,
  conversations: ConversationStore,
  events: EventPublisher,
  outboxWorker: OutboxWorker,
  providers: ProviderStore,
  services: ServiceStore,
  whitelist: ServiceWhitelistStore,
});
