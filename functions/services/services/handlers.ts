import type { Handlers } from "#shared/platform/http/route.ts";
import { createHandlers as createHandlersForOperators } from "./by-operator/handlers.ts";
import type { Deps } from "./deps.ts";
import { createHandlers as createDirectoryHandlers } from "./directory/handlers.ts";
import type { routes } from "./family.ts";
import { createHandlers as createOwnPages } from "./own-pages/handlers.ts";
import { createHandlers as createOwnHandlers } from "./own-services/handlers.ts";
import { createHandlers as createWhitelistHandlers } from "./whitelist/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createOwnHandlers(deps),
  ...createOwnPages(deps),
  ...createDirectoryHandlers(deps),
  ...createWhitelistHandlers(deps),
  ...createHandlersForOperators(deps),
});
