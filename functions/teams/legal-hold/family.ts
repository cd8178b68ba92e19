import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "legal-hold",
  summary: "Legal hold: the service of a team, and the devices through which it reads what members write",
  routes,
  tables: {
    accounts: "write",
    clients: "write",
    connections: "write",
    conversations: "write",
    outbox: "write",
    "rate-limits": "write",
    sockets: "write",
    teams: "write",
    audit: "record",
  },
  sends: ["events", "socket-closures", "team-jobs"],
  secrets: ["signing-keys", "verification-keys"],
};
