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
    codes: "write",
    domains: "read",
    outbox: "write",
    "rate-limits": "write",
    switches: "read",
    teams: "write",
    audit: "record",
  },
  lists: ["teams"],
  sends: ["mail", "events", "search-index", "erasures", "socket-closures", "team-jobs"],
  secrets: ["verification-keys", "code-key", "invitation-key"],
};
