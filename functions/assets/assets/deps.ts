import { AccountStore } from "#shared/accounts/account-store.ts";
import { AssetStore } from "#shared/assets/asset-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Bucket } from "#shared/platform/files/bucket.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    accounts: new AccountStore(stores),
    assets: new AssetStore(stores),
    budget: new DailyBudget(stores),
    bucket: new Bucket(runtime, "assets"),
    legalHoldSessions: new LegalHoldSessions(stores),
  };
}
