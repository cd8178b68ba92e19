import { routes as defaultCode } from "./default-code/routes.ts";
import { routes as identityProviders } from "./identity-providers/routes.ts";
import { routes as login } from "./login/routes.ts";
import { routes as serviceProvider } from "./service-provider/routes.ts";
import { routes as teamPage } from "./team-page/routes.ts";

export const routes = {
  ...defaultCode,
  ...identityProviders,
  ...login,
  ...serviceProvider,
  ...teamPage,
};
