import type { Handlers } from "#shared/platform/http/route.ts";
import { createHandlers as createConversationHandlers } from "./conversation/handlers.ts";
import type { Deps } from "./deps.ts";
import { createHandlers as createRoleHandlers } from "./roles/handlers.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createConversationHandlers(deps),
  ...createRoleHandlers(deps),
});
