import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "teams",
  summary: "Teams, their members and invitations",
  routes,
  tables: {
    accounts: "write",
    teams: "write",
    codes: "write",
    clients: "read",
    domains: "read",
    outbox: "write",
  },
  sends: ["mail", "events", "search-index", "erasures", "socket-closures", "team-jobs"],
  secrets: ["verification-keys", "code-key"],
};
