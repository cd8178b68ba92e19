import type { Config } from "#shared/config.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = (config: Config, overrides?: Overrides) =>
  createRuntime("system", config, overrides);
