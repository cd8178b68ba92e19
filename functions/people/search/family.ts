import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "people",
  name: "search",
  summary: "Search for users",
  routes,
  tables: { accounts: "read", search: "read" },
  secrets: ["verification-keys"],
};
