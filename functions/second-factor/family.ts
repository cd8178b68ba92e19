import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const secondFactor: Family = {
  name: "second-factor",
  summary: "Codes for the second factor",
  routes,
  tables: { accounts: "write", codes: "write", "rate-limits": "write", outbox: "write" },
  sends: ["mail"],
  secrets: ["code-key"],
};
