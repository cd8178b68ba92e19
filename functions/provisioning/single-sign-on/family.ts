import type { Family } from "#shared/platform/manifest.ts";
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

export const family: Family = {
  domain: "provisioning",
  name: "single-sign-on",
  summary: "Identity providers of teams, and login through them (SAML 2.0); the only function that reads XML",
  routes,
  forbidsOldCaches: true,
  tables: {
    accounts: "write",
    codes: "write",
    domains: "read",
    outbox: "write",
    provisioning: "write",
    "rate-limits": "write",
    teams: "write",
    audit: "record",
  },
  sends: ["erasures", "events", "mail", "provisioning-jobs", "search-index", "socket-closures"],
  secrets: ["code-key", "signing-keys", "verification-keys"],
};
