import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "teams",
  summary: "Teams, their members and invitations",
  routes,
  tables: { accounts: "write", domains: "read", outbox: "write", "rate-limits": "write", teams: "write" },
  sends: ["events", "mail", "search-index"],
  secrets: ["verification-keys", "invitation-key"],
};
