import type { Handlers } from "#shared/platform/http/route.ts";
import { createHandlers as createAdministrationHandlers } from "./administration/handlers.ts";
import { createHandlers as createCustomBackendHandlers } from "./custom-backend/handlers.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./family.ts";
import { createHandlers as createLookUpHandlers } from "./look-up/handlers.ts";
import { createHandlers as createRegisteredDomainHandlers } from "./registered-domains/handlers.ts";
import { createHandlers as createVerificationHandlers } from "./verification/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createVerificationHandlers(deps),
  ...createRegisteredDomainHandlers(deps),
  ...createLookUpHandlers(deps),
  ...createCustomBackendHandlers(deps),
  ...createAdministrationHandlers(deps),
});
