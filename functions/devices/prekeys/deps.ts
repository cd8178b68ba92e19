import pLimit from "p-limit";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { maxConcurrentClaims } from "#shared/devices/claim-prekeys.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    accounts: new AccountStore(stores),
    budget: new DailyBudget(stores),
    claimQueue: pLimit(maxConcurrentClaims),
    connections: new ConnectionStore(stores),
    devices: new DeviceStore(stores),
    dynamo: stores.dynamo,
    features: new FeatureStore(stores),
    legalHoldSessions: new LegalHoldSessions(stores),
    prekeys: new PrekeyStore(stores),
  };
}
