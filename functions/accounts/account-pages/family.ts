import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "accounts",
  name: "account-pages",
  summary: "The pages on which people look after their account",
  routes,
  tables: {
    accounts: "write",
    oauth: "write",
    codes: "write",
    domains: "read",
    provisioning: "read",
    "rate-limits": "write",
    outbox: "write",
    switches: "read",
    teams: "write",
    audit: "record",
  },
  sends: ["mail", "events", "search-index", "erasures", "socket-closures"],
  secrets: ["signing-keys", "verification-keys", "code-key"],
};
