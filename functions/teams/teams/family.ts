import { hideOtherMethods } from "#shared/platform/http/route.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { routes as invitations } from "./invitations/routes.ts";
import { routes as members } from "./members/routes.ts";
import { routes as pages } from "./pages/routes.ts";
import { routes as searchVisibility } from "./search-visibility/routes.ts";
import { routes as team } from "./team/routes.ts";

export const routes = hideOtherMethods({
  ...team,
  ...members,
  ...invitations,
  ...searchVisibility,
  ...pages,
});

export const family: Family = {
  domain: "teams",
  name: "teams",
  summary: "Teams, their members and invitations",
  routes,
  tables: {
    accounts: "write",
    clients: "read",
    codes: "write",
    domains: "read",
    outbox: "write",
    "rate-limits": "write",
    switches: "read",
    teams: "write",
    audit: "record",
  },
  lists: ["teams"],
  sends: ["mail", "events", "search-index", "erasures", "socket-closures", "team-jobs"],
  secrets: ["verification-keys", "code-key", "invitation-key"],
};
