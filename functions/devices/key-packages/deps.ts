import pLimit from "p-limit";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { maxConcurrentClaims } from "#shared/devices/claim-prekeys.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { KeyPackageStore } from "#shared/devices/key-package-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
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
    secrets,
    accounts: new AccountStore(stores),
    budget: new DailyBudget(stores),
    claimQueue: pLimit(maxConcurrentClaims),
    connections: new ConnectionStore(stores),
    devices: new DeviceStore(stores),
    dynamo: stores.dynamo,
    keyPackages: new KeyPackageStore(stores),
  };
}
