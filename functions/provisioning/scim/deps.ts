import { AccountStore } from "#shared/accounts/account-store.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { createVerifiers } from "#shared/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, new SecretReader(runtime)),
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    events: new EventPublisher(outbox, runtime),
    features: new FeatureStore(stores),
    identityProviders: new IdentityProviderStore(stores),
    outbox,
    provisioning: new TeamProvisioningStore(stores),
    richInfo: new RichInfoStore(stores),
    sessions: new SessionStore(stores),
    teams: new TeamStore(stores),
  };
}
