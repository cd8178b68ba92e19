import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { changeWhitelist } from "./change-whitelist.ts";
import { isWhitelisted, listWhitelisted } from "./read-whitelist.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "i-set-team-legalhold-whitelisted": async ({ params }) => {
      await changeWhitelist(deps, params.tid, true);
      return {};
    },

    "i-get-team-legalhold-whitelisted": async ({ params }) => {
      if (!(await isWhitelisted(deps, params.tid))) throw new ApiError("not-found");
      return {};
    },

    "i-delete-team-legalhold-whitelisted": async ({ params }) => {
      await changeWhitelist(deps, params.tid, false);
      return {};
    },

    "i-list-teams-legalhold-whitelisted": async ({ query }) => ({
      body: await listWhitelisted(deps, { limit: query.size, after: query.start }),
    }),
  };
}
