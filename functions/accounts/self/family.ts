import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "accounts",
  name: "self",
  summary: "The caller's own profile",
  routes,
  tables: {
    accounts: "write",
    codes: "write",
    domains: "read",
    "rate-limits": "write",
    outbox: "write",
    teams: "write",
    audit: "record",
  },
  firstReads: ["accounts/account"],
  sends: ["mail", "events", "search-index", "erasures", "socket-closures"],
  secrets: ["verification-keys", "code-key"],
};
