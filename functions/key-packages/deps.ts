import type { Config } from "#shared/config.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  return createRuntime("key-packages", config, overrides);
}
