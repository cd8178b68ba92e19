import type { Config } from "#shared/config.ts";
import { refuseWithPage } from "#shared/html/refuse-with-page.ts";
import { createApiHandler } from "#shared/http/api-handler.ts";
import type { Overrides } from "#shared/runtime.ts";
import { createDeps } from "./deps.ts";
import { describeRefusal } from "./describe-refusal.ts";
import { authorize } from "./family.ts";
import { createHandlers } from "./handlers.ts";

export function createApp(config: Config, overrides?: Overrides) {
  const deps = createDeps(config, overrides);
  const refuse = refuseWithPage(describeRefusal, deps.settings);
  return createApiHandler(authorize, createHandlers(deps), { ...deps, refuse });
}
