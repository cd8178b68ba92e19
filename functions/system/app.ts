import type { Config } from "#shared/config.ts";
import { createApiHandler } from "#shared/http/api-handler.ts";
import type { Overrides } from "#shared/runtime.ts";
import { createDeps } from "./deps.ts";
import { system } from "./family.ts";
import { createHandlers } from "./handlers.ts";

export function createApp(config: Config, overrides?: Overrides) {
  const deps = createDeps(config, overrides);
  return createApiHandler(system, createHandlers(deps), deps);
}
