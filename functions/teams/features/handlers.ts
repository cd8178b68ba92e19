import type { Handlers } from "#shared/platform/http/route.ts";
import { createHandlers as createOperatorHandlers } from "./by-operator/handlers.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./family.ts";
import { createHandlers as createTeamHandlers } from "./of-team/handlers.ts";
import { createHandlers as createUserHandlers } from "./of-user/handlers.ts";
import { createHandlers as createPageHandlers } from "./pages/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createTeamHandlers(deps),
  ...createUserHandlers(deps),
  ...createOperatorHandlers(deps),
  ...createPageHandlers(deps),
});
