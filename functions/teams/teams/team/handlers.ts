import type { Handlers } from "#shared/platform/http/route.ts";
import { toTeamView } from "#shared/teams/team-view.ts";
import type { Deps } from "../deps.ts";
import { getTeam } from "./get-team.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-team": async ({ actor, params }) => ({
      body: toTeamView(await getTeam(deps, { teamId: params.tid, userId: actor.userId })),
    }),
  };
}
