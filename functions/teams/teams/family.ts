import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "teams",
  summary: "Teams, their members and invitations",
  routes,
  tables: {
    accounts: "write",
    clients: "read",
    domains: "read",
    outbox: "write",
    "rate-limits": "write",
    teams: "write",
  },
  sends: ["erasures", "events", "mail", "search-index", "socket-closures"],
  secrets: ["verification-keys", "invitation-key"],
};
