import type { Family } from "#shared/platform/manifest.ts";
import { routes as discovery } from "./discovery/routes.ts";
import { routes as groups } from "./groups/routes.ts";
import { routes as teamPage } from "./team-page/routes.ts";
import { routes as tokens } from "./tokens/routes.ts";
import { routes as users } from "./users/routes.ts";

export const routes = {
  ...tokens,
  ...discovery,
  ...users,
  ...groups,
  ...teamPage,
};

export const family: Family = {
  domain: "provisioning",
  name: "scim",
  summary: "Users and groups of a team, managed by its directory (SCIM 2.0), and the directory's tokens",
  routes,
  forbidsOldCaches: true,
  tables: {
    accounts: "write",
    codes: "write",
    domains: "read",
    outbox: "write",
    provisioning: "write",
    teams: "write",
    audit: "record",
  },
  sends: ["erasures", "events", "mail", "search-index", "socket-closures"],
  secrets: ["verification-keys", "code-key", "invitation-key"],
};
