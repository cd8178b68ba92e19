import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "people",
  name: "users",
  summary: "Profiles of users, and handles",
  routes,
  tables: { accounts: "read", teams: "read" },
  sends: ["erasures"],
  secrets: ["verification-keys"],
};
