import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { isPresent, type SearchVisibility } from "#shared/teams/team.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

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

/**
 * Get which users the members of a team can find by name.
 *
 * @param actor a member; absent for the operator
 * @throws ApiError `not-a-team-member`, `operation-denied` for a member without a role; `no-team`
 * @see operations `get-search-visibility`, `i-get-search-visibility`
 */
async function getSearchVisibility(
  { teams }: Deps,
  teamId: string,
  actor?: Actor,
): Promise<SearchVisibility> {
  const [team, reader] = await Promise.all([
    teams.get(teamId),
    actor && teams.getMember({ teamId, userId: actor.userId }),
  ]);
  if (actor !== undefined) checkMember(reader, { role: "partner" });
  if (team === undefined || !isPresent(team)) throw new ApiError("no-team");
  return team.searchVisibility;
}

interface Command {
  readonly teamId: string;
  readonly visibility: SearchVisibility;
  /** Absent for the operator. */
  readonly actor?: Actor;
}

/**
 * Choose which users the members of a team can find by name. The transaction requires the feature that allows it,
 * because disabling the feature resets the visibility.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`, `no-team`, `team-search-visibility-not-enabled`
 * @see operations `set-search-visibility`, `i-set-search-visibility`
 */
async function setSearchVisibility(deps: Deps, { teamId, visibility, actor }: Command): Promise<void> {
  const { features, settings, teams } = deps;
  await change(deps, async () => {
    const [team, teamFeatures, found] = await Promise.all([
      teams.get(teamId),
      features.get(teamId),
      actor && teams.getMember({ teamId, userId: actor.userId }),
    ]);
    const changer = actor && checkMember(found, { role: "admin" });
    if (team === undefined || !isPresent(team)) throw new ApiError("no-team");
    if (!hasFeature("searchVisibility", teamFeatures, settings))
      throw new ApiError("team-search-visibility-not-enabled");
    return {
      writes: [
        teams.update(teamId, { searchVisibility: visibility }),
        features.requireUnchanged(teamFeatures),
        ...(changer === undefined ? [] : [teams.requirePermissions(changer)]),
      ],
    };
  }).catch(answer(TeamNotFoundError, "no-team"));
}
