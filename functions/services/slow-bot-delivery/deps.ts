import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { BotCalls } from "#shared/services/bot-calls.ts";
import { ServiceStore } from "#shared/services/service-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  backlogs: BotBacklogStore,
  bots: BotStore,
  calls: BotCalls,
  conversations: ConversationStore,
  events: EventPublisher,
  notifications: NotificationStore,
  services: ServiceStore,
});
