import type { Family } from "#shared/platform/manifest.ts";
import { routes as contacts } from "./contacts/routes.ts";
import { routes as directory } from "./directory/routes.ts";

export const routes = { ...contacts, ...directory };

export const family: Family = {
  domain: "people",
  name: "search",
  summary: "Search for users, and in the directory of a team",
  routes,
  tables: { accounts: "read", search: "read", teams: "read" },
  secrets: ["verification-keys"],
};
