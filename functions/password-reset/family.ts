import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const passwordReset: Family = {
  name: "password-reset",
  summary: "Password reset",
  routes,
  tables: { accounts: "write", codes: "write", "rate-limits": "write", outbox: "write" },
  sends: ["mail"],
  secrets: ["code-key"],
};
