import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { createHandlers as createDiscoveryHandlers } from "./discovery/handlers.ts";
import type { routes } from "./family.ts";
import { createHandlers as createGroupHandlers } from "./groups/handlers.ts";
import { createHandlers as createPageHandlers } from "./team-page/handlers.ts";
import { createHandlers as createTokenHandlers } from "./tokens/handlers.ts";
import { createHandlers as createUserHandlers } from "./users/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createTokenHandlers(deps),
  ...createDiscoveryHandlers(deps),
  ...createUserHandlers(deps),
  ...createGroupHandlers(deps),
  ...createPageHandlers(deps),
});
