import { systemClock } from "#shared/clock.ts";
import type { Config } from "#shared/config.ts";
import { createLog } from "#shared/log.ts";
import type { Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

/** This family has no tables and knows nobody: only what is in the bundle. */
export const createDeps = (config: Config, { clock = systemClock }: Overrides = {}) => ({
  config,
  settings: config.settings,
  clock,
  log: createLog("api-info", config.logLevel),
});
