import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const keyPackages: Family = {
  name: "key-packages",
  summary: "MLS key packages and public keys",
  routes,
  tables: { accounts: "read", clients: "read", "key-packages": "write" },
  secrets: ["verification-keys", "mls-removal-seed"],
};
