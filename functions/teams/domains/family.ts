import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "domains",
  summary: "E-mail domains that teams and backends claim",
  routes,
  tables: { accounts: "read", domains: "write", teams: "read", "rate-limits": "write", outbox: "write" },
  sends: ["mail"],
  secrets: ["verification-keys"],
};
