import { type Clock, systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { countUnreadableItems } from "#shared/platform/data/count-unreadable-items.ts";
import { createLog, type Log } from "#shared/platform/log.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** The dependencies of every function, created once per container; each function adds its own in `deps.ts`. */
export interface Runtime {
  readonly config: Config;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Dependencies that tests and the local runner may replace. */
export interface Overrides {
  readonly clock?: Clock;
}

/** Creates the dependencies of every function. */
export const createRuntime = (
  functionName: string,
  config: Config,
  { clock = systemClock }: Overrides = {},
): Runtime => {
  const log = createLog(functionName, config.logLevel, config.stage);
  countUnreadableItems(log);
  return { config, settings: config.settings, clock, log };
};
