import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = (runtime: Runtime) => ({
  ...runtime,
  secrets: new SecretReader(runtime),
});
