import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "accounts",
  name: "second-factor",
  summary: "Codes for the second factor, and what limits logins and codes of a user",
  routes,
  tables: {
    accounts: "write",
    codes: "write",
    "rate-limits": "write",
    outbox: "write",
    teams: "read",
    audit: "record",
  },
  sends: ["mail"],
  secrets: ["code-key"],
};
