import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";
import { getSearchVisibility, setSearchVisibility } from "./search-visibility.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-search-visibility": async ({ actor, params }) => ({
      body: { search_visibility: await getSearchVisibility(deps, params.tid, actor) },
    }),

    "set-search-visibility": async ({ actor, params, body }) => {
      await setSearchVisibility(deps, { teamId: params.tid, visibility: body.search_visibility, actor });
      return {};
    },

    "i-get-search-visibility": async ({ params }) => ({
      body: { search_visibility: await getSearchVisibility(deps, params.tid) },
    }),

    "i-set-search-visibility": async ({ params, body }) => {
      await setSearchVisibility(deps, { teamId: params.tid, visibility: body.search_visibility });
      return {};
    },
  };
}
