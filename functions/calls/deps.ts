import type { Config } from "#shared/config.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";
import { SftDirectory } from "./sft-directory.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("calls", config, overrides);
  return { ...runtime, sftDirectory: new SftDirectory(runtime) };
}
