import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "devices",
  name: "key-packages",
  summary: "MLS key packages and public keys",
  routes,
  tables: {
    accounts: "read",
    clients: "read",
    connections: "read",
    "key-packages": "write",
    "rate-limits": "write",
  },
  secrets: ["verification-keys", "mls-removal-seed"],
};
