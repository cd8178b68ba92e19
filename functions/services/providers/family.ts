import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "services",
  name: "providers",
  summary: "Accounts of providers of services",
  routes,
  tables: {
    services: "write",
    codes: "write",
    accounts: "write",
    "rate-limits": "write",
    outbox: "write",
    switches: "read",
    audit: "record",
  },
  sends: ["mail", "service-jobs"],
  secrets: ["signing-keys", "verification-keys", "code-key"],
};
