import type * as z from "zod";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { foundTeam } from "#shared/teams/found-team.ts";
import type { newTeam } from "#shared/teams/new-team.ts";
import type { Deps } from "../deps.ts";
import { enterFoundedTeam } from "./upgrade-to-team.ts";

/**
 * Create a team under a given id, with a user as its founder. Repeating it changes nothing.
 *
 * @throws ApiError `not-found` unless the account exists, `user-already-in-a-team`, `team-exists`
 * @see operation `i-put-team`
 */
export async function createTeam(
  deps: Deps,
  { teamId, founderId, team }: { teamId: string; founderId: string; team: z.output<typeof newTeam> },
): Promise<void> {
  const { accounts, teams } = deps;
  await change(deps, async () => {
    const [account, existing] = await Promise.all([accounts.get(founderId), teams.get(teamId)]);
    if (account?.status !== "active") throw new ApiError("not-found");
    if (existing?.creator === founderId && account.teamId === teamId) return undefined;
    if (account.teamId !== undefined) throw new ApiError("user-already-in-a-team");
    if (existing !== undefined) throw new ApiError("team-exists");
    const founding = foundTeam(deps, { teamId, founderId, team, status: "pending_active" });
    return combine(founding, enterFoundedTeam(deps, account, teamId));
  });
}
