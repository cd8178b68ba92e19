import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "accounts",
  name: "password-reset",
  summary: "Password reset",
  routes,
  tables: { accounts: "write", codes: "write", "rate-limits": "write", outbox: "write", audit: "record" },
  sends: ["mail", "socket-closures"],
  secrets: ["code-key"],
};
