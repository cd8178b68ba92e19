import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "people",
  name: "connections",
  summary: "Connections between users",
  routes,
  tables: {
    accounts: "read",
    connections: "write",
    conversations: "write",
    outbox: "write",
    "rate-limits": "write",
    teams: "read",
    audit: "record",
  },
  sends: ["conversation-jobs", "events"],
  secrets: ["verification-keys"],
};
