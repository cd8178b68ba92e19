import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import {
  listChains,
  listFiles,
  listOfNetwork,
  listOfOperator,
  listOfTeam,
  listRecords,
} from "./list-records.ts";
import type { routes } from "./routes.ts";
import { createHandlers as createPageHandlers } from "./team-page/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createPageHandlers(deps),

  "i-list-audit-records": async ({ query }) => ({ body: await listRecords(deps, query) }),

  "i-find-audit-records-of-network": async ({ query }) => ({ body: await listOfNetwork(deps, query) }),

  "i-find-audit-records-of-operator": async ({ query }) => ({ body: await listOfOperator(deps, query) }),

  "i-list-team-audit-records": async ({ headers, params, query }) => ({
    body: await listOfTeam(deps, { teamId: params.tid, userId: headers["Z-User"] }, query),
  }),

  "i-list-audit-chains": async ({ query: { start, size } }) => ({
    body: await listChains(deps, { after: start, size }),
  }),

  "i-list-audit-files": async ({ query }) => ({ body: await listFiles(deps, query) }),
});
