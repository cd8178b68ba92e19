import { AccountStore } from "#shared/accounts/account-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { SftDirectory } from "./sft-directory.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  accounts: AccountStore,
  features: FeatureStore,
  sftDirectory: SftDirectory,
});
