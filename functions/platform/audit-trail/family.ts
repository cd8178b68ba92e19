import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "platform",
  name: "audit-trail",
  summary: "Who has changed what, for operators and owners of teams",
  routes,
  tables: { accounts: "read", audit: "read", teams: "read" },
  buckets: { audit: ["list", "read"] },
  secrets: ["verification-keys"],
};
