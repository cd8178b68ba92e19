import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "devices",
  name: "clients",
  summary: "The caller's devices",
  routes,
  tables: {
    accounts: "write",
    clients: "write",
    codes: "write",
    "key-packages": "write",
    notifications: "insert",
    outbox: "write",
    "rate-limits": "write",
    sockets: "write",
    teams: "read",
    audit: "record",
  },
  sends: ["mail", "events", "socket-closures", "conversation-jobs"],
  secrets: ["verification-keys", "code-key", "dpop-key"],
};
