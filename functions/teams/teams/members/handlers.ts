import type * as z from "zod";
import { joinTeam } from "#shared/accounts/join-team.ts";
import { isSameContent } from "#shared/platform/data/unknown-fields.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkAdmission, checkMember } from "#shared/teams/check-member.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import {
  TeamFullError,
  TeamFullForLegalHoldError,
  TeamNotFoundError,
  TooManyAdminsError,
} from "#shared/teams/team-errors.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { changePermissions, setPermissions } from "./change-permissions.ts";
import { exportAnswer } from "./export/export-answer.ts";
import {
  findMembers,
  listAdmins,
  listMembers,
  listTeamMates,
  pageOfMembers,
  toFullView,
  toMemberView,
  withShownStatus,
} from "./list-members.ts";
import { cursorAfter } from "./member-cursor.ts";
import { refuseNewMember } from "./refuse-new-member.ts";
import { removeMember } from "./remove-member.ts";
import type { idsRequest, memberInfoList, newMember, routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { teams } = deps;

  const toFullViews = async (teamId: string, members: readonly Member[]) =>
    (await withShownStatus(deps, teamId, members)).map(toFullView);

  const getInfos = async (teamId: string, { ids }: z.output<typeof idsRequest>) => ({
    members: (await teams.getMembers(teamId, ids)).map(toInfo),
  });

  return {
    "get-team-members": async ({ actor: { userId }, params: { tid: teamId }, query }) => {
      const { pagingState, maxResults: limit } = query;
      const { viewer, members, last, hasMore } = await listMembers(
        deps,
        { teamId, userId },
        { ...pagingState, limit },
      );
      const shown = await withShownStatus(deps, teamId, members);
      return {
        body: {
          members: shown.map((member) => toMemberView(member, viewer)),
          hasMore,
          pagingState: cursorAfter(last ?? members.at(-1)?.userId ?? pagingState?.after),
        },
      };
    },

    "get-team-members-by-ids": async ({ actor, params, query, body }) => {
      const viewerId = { teamId: params.tid, userId: actor.userId };
      const wanted = { userIds: body.user_ids, limit: query.maxResults };
      const { viewer, members } = await findMembers(deps, viewerId, wanted);
      const shown = await withShownStatus(deps, viewerId.teamId, members);
      return { body: { members: shown.map((one) => toMemberView(one, viewer)), hasMore: false } };
    },

    "get-team-member": async ({ actor, params }) => {
      const { viewer, member } = await getMember(
        deps,
        { teamId: params.tid, userId: params.uid },
        actor.userId,
      );
      const [shown = member] = await withShownStatus(deps, params.tid, [member]);
      return { body: toMemberView(shown, viewer) };
    },

    "update-team-member": async ({ actor, params, body: { member } }) => {
      const { user: userId, permissions } = member;
      await changePermissions(deps, actor, { teamId: params.tid, userId, permissions });
      return {};
    },

    "delete-team-member": async ({ actor, params, body, version }) => {
      await removeMember(deps, actor, {
        teamId: params.tid,
        userId: params.uid,
        proof: body,
        noProof: version < 4 ? "invalid-payload" : "bad-request",
      });
      return {};
    },

    "add-team-member-v0": async ({ actor, params, body: { member } }) =>
      refuseNewMember(deps, actor.userId, {
        teamId: params.tid,
        userId: member.user,
        permissions: member.permissions,
      }),

    "get-team-members-csv": ({ actor, params, headers }) =>
      exportAnswer(deps, { teamId: params.tid, userId: actor.userId }, headers["Accept-Encoding"]),

    "i-add-team-member": async ({ params, body }) => {
      await addMember(deps, { teamId: params.tid, ...toMember(body) });
      return {};
    },

    "i-update-team-member": async ({ params, body: { member } }) => {
      const { user: userId, permissions } = member;
      await setPermissions(deps, { teamId: params.tid, userId, permissions });
      return {};
    },

    "i-get-team-members": async ({ params, query }) => {
      const { pagingState, maxResults: limit } = query;
      const { members, last, hasMore } = await pageOfMembers(deps, params.tid, { ...pagingState, limit });
      const shown = await toFullViews(params.tid, members);
      return {
        body: { members: shown, hasMore, pagingState: cursorAfter(last ?? pagingState?.after) },
      };
    },

    "i-get-team-member": async ({ params }) => {
      const member = await findMember(deps, { teamId: params.tid, userId: params.uid });
      const [shown = member] = await withShownStatus(deps, params.tid, [member]);
      return { body: toFullView(shown) };
    },

    "i-get-team-members-by-ids": async ({ params, body }) => ({ body: await getInfos(params.tid, body) }),

    "i-get-team-members-by-ids-using-post": async ({ params, body }) => ({
      body: await getInfos(params.tid, body),
    }),

    "i-find-team-members": async ({ params, body }) => ({
      body: await toFullViews(params.tid, await teams.getMembers(params.tid, body.user_ids)),
    }),

    "i-check-team-room": async ({ params }) => {
      await checkRoom(deps, params.tid);
      return {};
    },

    "i-get-team-admins": async ({ params }) => ({
      body: { members: await toFullViews(params.tid, await listAdmins(deps, params.tid)), hasMore: false },
    }),

    "i-check-team-owner": async ({ params }) => {
      await checkOwner(deps, { teamId: params.tid, userId: params.uid });
      return {};
    },

    "i-get-user-team-members": async ({ params, query }) => {
      const { members, hasMore } = await listTeamMates(deps, params.uid, { limit: query.maxResults });
      const [first] = members;
      return { body: { members: first ? await toFullViews(first.teamId, members) : [], hasMore } };
    },
  };
}

const toMember = ({ member }: z.output<typeof newMember>) => ({
  userId: member.user,
  permissions: member.permissions,
  ...(member.created_by && member.created_at
    ? { invitedBy: member.created_by, invitedAt: Date.parse(member.created_at) }
    : {}),
});

const toInfo = ({
  userId,
  permissions,
  permissionsChangedAt = 0,
}: Member): z.input<typeof memberInfoList>["members"][number] => ({
  userId,
  permissions,
  permissionsWriteTime: permissionsChangedAt,
});

/**
 * Add the user of an existing account to a team, as an internal caller. Repeating it changes nothing.
 *
 * @throws ApiError `not-found` unless the account is active; `user-already-in-a-team`, `too-many-team-members`,
 *   `too-many-members-for-legalhold`, `too-many-team-admins`, `no-team`
 * @see operation `i-add-team-member`
 */
async function addMember(deps: Deps, member: Omit<Member, "legalHoldStatus">): Promise<void> {
  const { accounts, teams } = deps;
  await change(deps, async () => {
    const account = await accounts.get(member.userId);
    if (account?.status !== "active") throw new ApiError("not-found");
    if (account.teamId === undefined)
      return joinTeam(
        deps,
        { previous: account, next: account },
        { ...member, legalHoldStatus: "no_consent" },
      );
    const existing = await teams.getMember(member);
    const isAdded = existing !== undefined && isSameContent(existing.permissions, member.permissions);
    if (!isAdded) throw new ApiError("user-already-in-a-team");
    return undefined;
  })
    .catch(answer(TeamNotFoundError, "no-team"))
    .catch(answer(TeamFullError, "too-many-team-members"))
    .catch(answer(TeamFullForLegalHoldError, "too-many-members-for-legalhold"))
    .catch(answer(TooManyAdminsError, "too-many-team-admins"));
}

/**
 * Get a member of the acting user's team, and the acting user as a member.
 *
 * @throws ApiError `not-a-team-member` about the acting user; `team-member-not-found`
 * @see operation `get-team-member`
 */
async function getMember(
  { teams }: Deps,
  { teamId, userId }: Membership,
  viewerId: string,
): Promise<{ viewer: Member; member: Member }> {
  const members = await teams.getMembers(teamId, [viewerId, userId]);
  const viewer = checkMember(members.find((one) => one.userId === viewerId));
  const member = members.find((one) => one.userId === userId);
  if (member === undefined) throw new ApiError("team-member-not-found");
  return { viewer, member };
}

/**
 * Get a member of any team.
 *
 * @throws ApiError `team-member-not-found`
 * @see operation `i-get-team-member`
 */
async function findMember({ teams }: Deps, key: Membership): Promise<Member> {
  const member = await teams.getMember(key);
  if (member === undefined) throw new ApiError("team-member-not-found");
  return member;
}

/**
 * Check that a user is an owner of a team.
 *
 * @throws ApiError `not-a-team-member`, `access-denied`
 * @see operation `i-check-team-owner`
 */
async function checkOwner({ teams }: Deps, membership: Membership): Promise<void> {
  const member = checkMember(await teams.getMember(membership));
  if (!hasOwnerRights(member)) throw new ApiError("access-denied");
}

/**
 * Check that one more user may join a team.
 *
 * @throws ApiError as `checkAdmission` does
 * @see operation `i-check-team-room`
 */
async function checkRoom({ settings, teams }: Deps, teamId: string): Promise<void> {
  checkAdmission(await teams.get(teamId), settings);
}
