import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const authorize: Family = {
  name: "authorize",
  summary: "The pages on which people let third-party apps access their account",
  routes,
  tables: { oauth: "write", accounts: "write", codes: "write", outbox: "write" },
  sends: ["mail"],
  secrets: ["signing-keys", "verification-keys", "code-key"],
};
