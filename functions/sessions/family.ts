import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const sessions: Family = {
  name: "sessions",
  summary: "Login, access tokens and cookies",
  routes,
  tables: { accounts: "write", codes: "write", clients: "read", "rate-limits": "write", outbox: "write" },
  sends: ["mail"],
  secrets: ["signing-keys", "verification-keys", "code-key"],
};
