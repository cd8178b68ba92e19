import { routes as administration } from "./administration/routes.ts";
import { routes as customBackend } from "./custom-backend/routes.ts";
import { routes as lookUp } from "./look-up/routes.ts";
import { routes as registeredDomains } from "./registered-domains/routes.ts";
import { routes as verification } from "./verification/routes.ts";

export const routes = {
  ...verification,
  ...registeredDomains,
  ...lookUp,
  ...customBackend,
  ...administration,
};
