import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = (runtime: Runtime) => ({
  ...runtime,
  suppressions: new SuppressionStore(storeContext(runtime)),
});
