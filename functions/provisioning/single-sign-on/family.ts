import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

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
