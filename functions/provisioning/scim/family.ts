import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "provisioning",
  name: "scim",
  summary: "Users of a team as its directory has them (SCIM 2.0), and the tokens of directories",
  routes,
  forbidsOldCaches: true,
  tables: {
    accounts: "write",
    codes: "write",
    domains: "read",
    outbox: "write",
    provisioning: "write",
    teams: "write",
  },
  sends: ["erasures", "events", "mail", "search-index", "socket-closures"],
  secrets: ["verification-keys", "code-key", "invitation-key"],
};
