import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "devices",
  name: "prekeys",
  summary: "Other users' devices, and the prekeys to reach them",
  routes,
  tables: { accounts: "read", clients: "write", connections: "read", "rate-limits": "write", teams: "read" },
  secrets: ["verification-keys"],
};
