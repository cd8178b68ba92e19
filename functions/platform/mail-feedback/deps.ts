import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  suppressions: SuppressionStore,
});
