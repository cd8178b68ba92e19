import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const users: Family = {
  name: "users",
  summary: "Profiles of users, and handles",
  routes,
  tables: { accounts: "read" },
  sends: ["erasures"],
  secrets: ["verification-keys"],
};
