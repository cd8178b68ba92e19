import { hideOtherMethods } from "#shared/platform/http/route.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { routes as byOperator } from "./by-operator/routes.ts";
import { routes as ofTeam } from "./of-team/routes.ts";
import { routes as ofUser } from "./of-user/routes.ts";
import { routes as pages } from "./pages/routes.ts";

export const routes = hideOtherMethods({ ...ofTeam, ...ofUser, ...byOperator, ...pages });

export const family: Family = {
  domain: "teams",
  name: "features",
  summary: "Features of teams, and what users have of them",
  routes,
  tables: { accounts: "write", conversations: "read", outbox: "write", teams: "write", audit: "record" },
  sends: ["events", "search-index", "team-jobs"],
  secrets: ["verification-keys"],
};
