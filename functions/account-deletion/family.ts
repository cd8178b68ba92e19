import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const accountDeletion: Family = {
  name: "account-deletion",
  summary: "Deletion of accounts",
  routes,
  secrets: ["verification-keys"],
};
