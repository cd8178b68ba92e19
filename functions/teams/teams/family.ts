import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "teams",
  summary: "Teams, their members and invitations",
  routes,
  tables: { accounts: "write", teams: "write", clients: "read", outbox: "write" },
  sends: ["events", "search-index", "erasures", "socket-closures"],
  secrets: ["verification-keys"],
};
