import * as z from "zod";
import { chargeBytes } from "#shared/accounts/write-budget.ts";
import type { NewestPage } from "#shared/platform/data/newest-first.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { teamUpdate } from "#shared/teams/events.ts";
import { foundTeam, type newTeam } from "#shared/teams/found-team.ts";
import type { Team } from "#shared/teams/team.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import { toTeamView } from "#shared/teams/team-view.ts";
import type { Deps } from "../deps.ts";
import { changeStatus, suspendOrResume } from "./change-status.ts";
import { deleteTeam } from "./delete-team.ts";
import { countMembers, findTeam, getOwnTeams, getTeam, resumeDeletion } from "./get-team.ts";
import { type routes, type teamPage, teamsByTime } from "./routes.ts";
import { enterFoundedTeam, upgradeToTeam } from "./upgrade-to-team.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "upgrade-personal-to-team": async ({ actor, body }) => {
      const { teamId, name } = await upgradeToTeam(deps, actor, body);
      return { body: { team_id: teamId, team_name: name } };
    },

    "create-free-team": () => {
      throw new ApiError("invalid-actions");
    },

    "get-teams": async ({ actor }) => {
      const teams = await getOwnTeams(deps, actor.userId);
      return { body: { teams: teams.map(toTeamView), has_more: false } };
    },

    "get-team": async ({ actor, params }) => ({
      body: toTeamView(await getTeam(deps, { teamId: params.tid, userId: actor.userId })),
    }),

    "update-team": async ({ actor, params, body }) => {
      const changes = {
        ...(body.name != null && { name: body.name }),
        ...(body.icon != null && { icon: body.icon }),
        ...(body.icon_key != null && { iconKey: body.icon_key }),
        ...(body.splash_screen != null && { splashScreen: body.splash_screen }),
      };
      await updateTeam(deps, actor, { teamId: params.tid, changes });
      return {};
    },

    "delete-team": async ({ actor, params, body }) => {
      const { password, verification_code: secondFactor } = body ?? {};
      await deleteTeam(deps, actor, { teamId: params.tid, password, secondFactor });
      return {};
    },

    "get-team-size": async ({ actor, params }) => ({
      body: { teamSize: await countMembers(deps, { teamId: params.tid, userId: actor.userId }) },
    }),

    "i-list-teams": async ({ query: { size: limit, start: after, from, to } }) => ({
      body: await listTeams(deps, { limit, after, from, to }),
    }),

    "i-get-team": async ({ params }) => {
      const team = await findTeam(deps, params.tid);
      const { status, statusChangedAt } = team;
      return {
        body: { team: toTeamView(team), status, status_time: new Date(statusChangedAt).toISOString() },
      };
    },

    "i-put-team": async ({ body, headers, params }) => {
      await createTeam(deps, { teamId: params.tid, founderId: headers["Z-User"], team: body });
      return { headers: { location: params.tid } };
    },

    "i-delete-team": async ({ params, query }) => {
      await deleteByOperator(deps, { teamId: params.tid, isForced: query.force });
      return {};
    },

    "i-finalize-team-deletion": async ({ params }) => {
      await finishDeletion(deps, params.tid);
      return {};
    },

    "i-put-team-status": async ({ body, params }) => {
      await changeStatus(deps, { teamId: params.tid, ...body });
      return {};
    },

    "i-suspend-team": async ({ params }) => {
      await suspendOrResume(deps, params.tid, "suspended");
      return {};
    },

    "i-unsuspend-team": async ({ params }) => {
      await suspendOrResume(deps, params.tid, "active");
      return {};
    },

    "i-get-team-name": async ({ params }) => ({ body: { name: (await findTeam(deps, params.tid)).name } }),

    "i-get-team-size": async ({ params }) => ({
      body: { teamSize: (await findTeam(deps, params.tid)).memberCount },
    }),
  };
}

/**
 * Create a team under a given id, with a user as its founder. Repeating it changes nothing.
 *
 * @throws ApiError `not-found` unless the account exists, `user-already-in-a-team`, `team-exists`
 * @see operation `i-put-team`
 */
async function createTeam(
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

/**
 * Mark a team for deletion on behalf of the operator.
 *
 * @param command.isForced whether it may have more members than its founder
 * @throws ApiError `no-team`, `not-one-member-team`
 * @see operation `i-delete-team`
 */
async function deleteByOperator(
  deps: Deps,
  { teamId, isForced }: { teamId: string; isForced: boolean },
): Promise<void> {
  const { clock, outbox, teams } = deps;
  await change(deps, async () => {
    const team = await findTeam(deps, teamId);
    if (team.status === "deleted") throw new ApiError("no-team");
    if (team.status === "pending_delete") {
      await resumeDeletion(deps, team);
      return undefined;
    }
    if (!isForced && team.memberCount > 1) throw new ApiError("not-one-member-team");
    return {
      writes: [teams.orderDeletion(team, clock(), { isAlone: !isForced })],
      messages: [orderTeamJob(outbox, { job: "delete", teamId })],
    };
  });
}

/**
 * Enqueue the rest of a deletion immediately, however recently it was enqueued.
 *
 * @throws ApiError `no-team`, `invalid-team-status-update` for a team that is not marked for deletion
 * @see operation `i-finalize-team-deletion`
 */
async function finishDeletion(deps: Deps, teamId: string): Promise<void> {
  const { clock, outbox, teams } = deps;
  await change(deps, async () => {
    const team = await findTeam(deps, teamId);
    if (team.status === "deleted") return undefined;
    if (team.status !== "pending_delete") throw new ApiError("invalid-team-status-update");
    return {
      writes: [teams.orderDeletion(team, clock())],
      messages: [orderTeamJob(outbox, { job: "delete", teamId })],
    };
  });
}

/** List one page of the teams, the newest first. @see operation `i-list-teams` */
async function listTeams({ teams }: Deps, page: NewestPage): Promise<z.input<typeof teamPage>> {
  const { teams: listed, last } = await teams.pageOfNewest(page);
  return {
    teams: listed.map(({ team, foundedAt }) => ({
      id: team.teamId,
      name: team.name,
      status: team.status,
      creator: team.creator,
      size: team.memberCount,
      created_at: foundedAt,
    })),
    ...(last !== undefined && { next: z.encode(teamsByTime.cursor, last) }),
  };
}

type TeamChanges = Partial<Pick<Team, "name" | "icon" | "iconKey" | "splashScreen">>;

/**
 * Change the name and pictures of a team, and tell its admins and owners, and the user's other connections.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`, `no-team` when the team is being deleted
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 * @see operation `update-team`
 */
async function updateTeam(
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
