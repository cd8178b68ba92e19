import { AccountStore } from "#shared/accounts/account-store.ts";
import { PropertyStore } from "#shared/accounts/properties/property-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  outbox: Outbox,
  accounts: AccountStore,
  budget: DailyBudget,
  events: EventPublisher,
  properties: PropertyStore,
});
