import { AccountStore } from "#shared/accounts/account-store.ts";
import { LegalHoldServiceStore } from "#shared/conversations/legal-hold/legal-hold-service-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, new SecretReader(runtime)),
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    features: new FeatureStore(stores),
    legalHoldServices: new LegalHoldServiceStore(stores),
    teams: new TeamStore(stores),
    outbox,
    events: new EventPublisher(outbox, runtime),
  };
}
