import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "assets",
  name: "assets",
  summary: "Files of messages and profiles",
  routes,
  tables: {
    accounts: "read",
    assets: "write",
    outbox: "write",
    "rate-limits": "write",
    services: "read",
    switches: "read",
  },
  buckets: { assets: ["read", "write", "parts", "delete"] },
  secrets: ["verification-keys"],
};
