import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "accounts",
  name: "registration",
  summary: "Registration and activation",
  routes,
  tables: {
    accounts: "write",
    codes: "write",
    domains: "read",
    "rate-limits": "write",
    outbox: "write",
    switches: "read",
    teams: "write",
    audit: "record",
  },
  sends: ["mail", "events", "search-index"],
  secrets: ["signing-keys", "verification-keys", "code-key"],
};
