import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { chooseDefault } from "./choose-default.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "sso-settings": async () => ({ body: { default_sso_code: (await deps.defaultProvider.get()) ?? null } }),

  "i-put-sso-settings": async ({ body }) => {
    await chooseDefault(deps, body.default_sso_code);
    return {};
  },
});
