import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "teams",
  name: "teams",
  summary: "Teams, their members and invitations",
  routes,
  tables: { accounts: "read", teams: "write" },
  secrets: ["verification-keys"],
};
