import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const registration: Family = {
  name: "registration",
  summary: "Registration and activation",
  routes,
  tables: { accounts: "write", codes: "write", "rate-limits": "write", outbox: "write" },
  sends: ["mail", "events", "search-index"],
  secrets: ["signing-keys", "code-key"],
};
