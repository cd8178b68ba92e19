import { routes as identityProviders } from "./identity-providers/routes.ts";
import { routes as login } from "./login/routes.ts";
import { routes as serviceProvider } from "./service-provider/routes.ts";

export const routes = {
  ...identityProviders,
  ...login,
  ...serviceProvider,
};
