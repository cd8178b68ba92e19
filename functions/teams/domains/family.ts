import type { Family } from "#shared/platform/manifest.ts";
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

export const family: Family = {
  domain: "teams",
  name: "domains",
  summary: "Email domains that teams and backends claim",
  routes,
  tables: {
    accounts: "read",
    domains: "write",
    outbox: "write",
    provisioning: "read",
    "rate-limits": "write",
    teams: "read",
    audit: "record",
  },
  sends: ["mail"],
  secrets: ["verification-keys"],
};
