import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "people",
  name: "properties",
  summary: "Values that clients store for their user",
  routes,
  tables: { accounts: "read", outbox: "write", properties: "write", "rate-limits": "write" },
  sends: ["events"],
  secrets: ["verification-keys"],
};
