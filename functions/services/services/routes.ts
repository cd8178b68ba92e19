import { routes as byOperator } from "./by-operator/routes.ts";
import { routes as directory } from "./directory/routes.ts";
import { routes as ownPages } from "./own-pages/routes.ts";
import { routes as ownServices } from "./own-services/routes.ts";
import { routes as whitelist } from "./whitelist/routes.ts";

export const routes = {
  ...ownServices,
  ...ownPages,
  ...directory,
  ...whitelist,
  ...byOperator,
};
