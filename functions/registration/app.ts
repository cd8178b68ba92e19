import type { Config } from "#shared/config.ts";
import { refuseWithPage } from "#shared/html/refuse-with-page.ts";
import { createApiHandler } from "#shared/http/api-handler.ts";
import { renderError } from "#shared/http/render.ts";
import { splitVersion } from "#shared/http/versions.ts";
import type { Overrides } from "#shared/runtime.ts";
import { createDeps } from "./deps.ts";
import { describeRefusal } from "./describe-refusal.ts";
import { registration } from "./family.ts";
import { createHandlers } from "./handlers.ts";

export function createApp(config: Config, overrides?: Overrides) {
  const deps = createDeps(config, overrides);
  const refusePage = refuseWithPage(describeRefusal, deps.settings);
  return createApiHandler(registration, createHandlers(deps), {
    ...deps,
    refuse: (error, event) => {
      const isOfPages = splitVersion(event.rawPath).path.startsWith("/activate/confirm");
      return isOfPages ? refusePage(error, event) : renderError(error);
    },
  });
}
