import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { isPresent, type SearchVisibility } from "#shared/teams/team.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";

/**
 * Get which users the members of a team can find by name.
 *
 * @param actor a member; absent for the operator
 * @throws ApiError `not-a-team-member`, `operation-denied` for a member without a role; `no-team`
 * @see operations `get-search-visibility`, `i-get-search-visibility`
 */
export async function getSearchVisibility(
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
export async function setSearchVisibility(deps: Deps, { teamId, visibility, actor }: Command): Promise<void> {
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
