import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "oauth",
  name: "authorize",
  summary: "The pages on which people let third-party apps access their account",
  routes,
  tables: {
    oauth: "write",
    accounts: "write",
    codes: "write",
    domains: "read",
    provisioning: "read",
    "rate-limits": "write",
    outbox: "write",
    switches: "read",
    teams: "read",
    audit: "record",
  },
  sends: ["mail"],
  secrets: ["signing-keys", "verification-keys", "code-key"],
};
