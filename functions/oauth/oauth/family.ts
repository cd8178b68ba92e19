import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "oauth",
  name: "oauth",
  summary: "OAuth 2.0: third-party apps, their tokens, and what users have granted them",
  routes,
  tables: { oauth: "write", accounts: "write", audit: "record" },
  secrets: ["signing-keys", "verification-keys"],
};
