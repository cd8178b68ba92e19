import { AccountStore } from "#shared/accounts/account-store.ts";
import { PropertyStore } from "#shared/accounts/properties/property-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    budget: new DailyBudget(stores),
    events: new EventPublisher(new Outbox(runtime), runtime),
    properties: new PropertyStore(stores),
  };
}
