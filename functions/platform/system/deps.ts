import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = (runtime: Runtime) => ({
  ...runtime,
  ...createVerifiers(runtime, new SecretReader(runtime)),
});
