import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "people",
  name: "search",
  summary: "Search for users, and in the directory of a team",
  routes,
  tables: { accounts: "read", search: "read", teams: "read" },
  secrets: ["verification-keys"],
};
