import { AccountStore } from "#shared/accounts/account-store.ts";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  outbox: Outbox,
  accounts: AccountStore,
  budget: DailyBudget,
  connections: ConnectionStore,
  conversations: ConversationStore,
  events: EventPublisher,
  features: FeatureStore,
});
