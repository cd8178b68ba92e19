import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const oauth: Family = {
  name: "oauth",
  summary: "OAuth 2.0: third-party apps, their tokens, and what users have granted them",
  routes,
  tables: { oauth: "write", accounts: "write" },
  secrets: ["signing-keys", "verification-keys"],
};
