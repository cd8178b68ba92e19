import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const search: Family = {
  name: "search",
  summary: "Search for users",
  routes,
  tables: { accounts: "read", search: "read" },
  secrets: ["verification-keys"],
};
