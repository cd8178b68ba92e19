import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "domains",
  summary: "Email domains that teams and backends claim",
  routes,
  tables: {
    accounts: "read",
    domains: "write",
    outbox: "write",
    provisioning: "read",
    "rate-limits": "write",
    teams: "read",
    audit: "record",
  },
  sends: ["mail"],
  secrets: ["verification-keys"],
};
