import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./family.ts";
import { createHandlers as createMemberHandlers } from "./members/handlers.ts";
import { createHandlers as createPolicyHandlers } from "./policy/handlers.ts";
import { createHandlers as createServiceHandlers } from "./service/handlers.ts";
import { createHandlers as createWhitelistHandlers } from "./whitelist/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createServiceHandlers(deps),
  ...createMemberHandlers(deps),
  ...createPolicyHandlers(deps),
  ...createWhitelistHandlers(deps),
});
