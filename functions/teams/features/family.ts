import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "features",
  summary: "Features of teams, and what users have of them",
  routes,
  tables: { accounts: "write", conversations: "read", outbox: "write", teams: "write", audit: "record" },
  sends: ["events", "search-index", "team-jobs"],
  secrets: ["verification-keys"],
};
