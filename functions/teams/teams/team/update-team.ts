import { chargeBytes } from "#shared/accounts/write-budget.ts";
import { answer } from "#shared/platform/http/answer.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { teamUpdate } from "#shared/teams/events.ts";
import type { Team } from "#shared/teams/team.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";

export type TeamChanges = Partial<Pick<Team, "name" | "icon" | "iconKey" | "splashScreen">>;

/**
 * Change the name and pictures of a team, and tell its admins and owners, and the user's other connections.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`, `no-team` when the team is being deleted
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 * @see operation `update-team`
 */
export async function updateTeam(
  deps: Deps,
  actor: Actor,
  { teamId, changes }: { teamId: string; changes: TeamChanges },
): Promise<void> {
  const { clock, events, teams } = deps;
  const { userId } = actor;
  const { name, icon, iconKey, splashScreen } = changes;
  const event = {
    team: teamId,
    time: new Date(clock()).toISOString(),
    data: { name, icon, icon_key: iconKey, splash_screen: splashScreen },
  };
  const audience = {
    group: userId,
    recipients: [{ userId }],
    membersOf: { teamId, members: "admins" as const },
    origin: actor,
  };
  await change(deps, async () => {
    const member = checkMember(await teams.getMember({ teamId, userId }), { permission: "SetTeamData" });
    return {
      writes: [
        teams.update(teamId, changes),
        teams.requirePermissions(member),
        ...chargeBytes(deps, actor, Buffer.byteLength(JSON.stringify(event.data))),
      ],
      messages: events.to(audience, teamUpdate, event),
    };
  }).catch(answer(TeamNotFoundError, "no-team"));
}
