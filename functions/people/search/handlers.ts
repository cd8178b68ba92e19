import type { Handlers } from "#shared/platform/http/route.ts";
import { createHandlers as createContactHandlers } from "./contacts/handlers.ts";
import type { Deps } from "./deps.ts";
import { createHandlers as createDirectoryHandlers } from "./directory/handlers.ts";
import type { routes } from "./family.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createContactHandlers(deps),
  ...createDirectoryHandlers(deps),
});
