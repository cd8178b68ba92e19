import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "accounts",
  name: "sessions",
  summary: "Login, access tokens and cookies",
  routes,
  tables: {
    accounts: "write",
    codes: "write",
    clients: "read",
    "rate-limits": "write",
    outbox: "write",
    switches: "read",
    teams: "read",
    audit: "record",
  },
  sends: ["mail", "search-index", "socket-closures"],
  secrets: ["signing-keys", "verification-keys", "code-key"],
};
