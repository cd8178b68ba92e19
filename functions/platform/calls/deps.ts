import { AccountStore } from "#shared/accounts/account-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { SftDirectory } from "./sft-directory.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    accounts: new AccountStore(stores),
    features: new FeatureStore(stores),
    secrets,
    sftDirectory: new SftDirectory(runtime),
  };
}
