import type { Handlers } from "#shared/platform/http/route.ts";
import { createHandlers as createDefaultCodeHandlers } from "./default-code/handlers.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./family.ts";
import { createHandlers as createIdentityProviderHandlers } from "./identity-providers/handlers.ts";
import { createHandlers as createLoginHandlers } from "./login/handlers.ts";
import { createHandlers as createServiceProviderHandlers } from "./service-provider/handlers.ts";
import { createHandlers as createPageHandlers } from "./team-page/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createDefaultCodeHandlers(deps),
  ...createIdentityProviderHandlers(deps),
  ...createLoginHandlers(deps),
  ...createServiceProviderHandlers(deps),
  ...createPageHandlers(deps),
});
