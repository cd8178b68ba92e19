import type { Config } from "#shared/config.ts";
import { createApiHandler } from "#shared/http/api-handler.ts";
import type { Overrides } from "#shared/runtime.ts";
import { createDeps } from "./deps.ts";
import { authorize } from "./family.ts";
import { createHandlers } from "./handlers.ts";
import { refuseWithPage } from "./refuse-with-page.ts";

export function createApp(config: Config, overrides?: Overrides) {
  const deps = createDeps(config, overrides);
  return createApiHandler(authorize, createHandlers(deps), {
    ...deps,
    refuse: (error, event) => refuseWithPage(error, event, deps.settings),
  });
}
