import type { Family } from "#shared/platform/manifest.ts";
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

export const family: Family = {
  domain: "services",
  name: "services",
  summary: "Services of providers, the directory of services, and which services teams admit",
  routes,
  tables: { accounts: "write", outbox: "write", services: "write", teams: "read", audit: "record" },
  sends: ["service-jobs"],
  secrets: ["code-key", "verification-keys"],
};
