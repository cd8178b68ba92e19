import { userIndexUpdate } from "#shared/accounts/index-update.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import { announcePermissions } from "#shared/teams/announce.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import { isWithin, type PermissionSet, roleOf } from "#shared/teams/permissions.ts";
import { LastOwnerError, TeamNotFoundError, TooManyAdminsError } from "#shared/teams/team-errors.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/** The new permissions of a member. */
export interface PermissionChange extends Membership {
  readonly permissions: PermissionSet;
}

/**
 * Change a member's permissions on behalf of another member. The order of the checks is part of the interface. The
 * transaction requires that both members' permissions are still those that were checked, so of two owners who demote
 * each other, one succeeds.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`, `invalid-permissions`, `team-member-not-found`,
 *   `access-denied`, `no-team`, `too-many-team-admins`
 * @see operation `update-team-member`
 */
export async function changePermissions(
  deps: Deps,
  actor: Actor,
  { teamId, userId, permissions }: PermissionChange,
): Promise<void> {
  const { teams } = deps;
  describeAudited({ target: { uid: userId } });
  await commit(deps, async () => {
    const found = await teams.getMembers(teamId, [actor.userId, userId]);
    const memberOf = (id: string) => found.find((one) => one.userId === id);
    const acting = checkMember(memberOf(actor.userId), { permission: "SetMemberPermissions" });
    if (!isWithin(permissions.self, acting.permissions.copy)) throw new ApiError("invalid-permissions");
    const member = memberOf(userId);
    if (member === undefined) throw new ApiError("team-member-not-found");
    checkMayTakeOwnership(acting, member, permissions);
    const isOthers = userId !== actor.userId;
    return combine(await permissionChange(deps, member, permissions, actor), {
      writes: isOthers ? [teams.requirePermissions(acting)] : [],
    });
  });
}

/**
 * Change a member's permissions on behalf of an internal caller, who may give any. The last owner stays an owner.
 *
 * @throws ApiError `team-member-not-found`, `access-denied` (the last owner), `no-team`, `too-many-team-admins`
 * @see operation `i-update-team-member`
 */
export async function setPermissions(
  deps: Deps,
  { permissions, ...membership }: PermissionChange,
): Promise<void> {
  describeAudited({ target: { uid: membership.userId } });
  await commit(deps, async () => {
    const [member, team] = await Promise.all([
      deps.teams.getMember(membership),
      deps.teams.get(membership.teamId),
    ]);
    if (team === undefined || team.status === "deleted") throw new ApiError("no-team");
    if (member === undefined) throw new ApiError("team-member-not-found");
    return permissionChange(deps, member, permissions);
  });
}

const commit = (deps: Deps, decide: () => Promise<Change>): Promise<void> =>
  change(deps, decide)
    .catch(answer(TeamNotFoundError, "no-team"))
    .catch(answer(TooManyAdminsError, "too-many-team-admins"))
    .catch(answer(LastOwnerError, "access-denied"));

/** Only another owner may take an owner's rights away. @throws ApiError `access-denied` */
function checkMayTakeOwnership(acting: Member, member: Member, permissions: PermissionSet): void {
  if (!hasOwnerRights(member) || hasOwnerRights({ permissions })) return;
  if (!hasOwnerRights(acting) || acting.userId === member.userId) throw new ApiError("access-denied");
}

async function permissionChange(
  deps: Deps,
  member: Member,
  permissions: PermissionSet,
  origin?: Actor,
): Promise<Change> {
  const isNewOwner = hasOwnerRights({ permissions }) && !hasOwnerRights(member);
  const isOtherRole = roleOf(member.permissions) !== roleOf(permissions);
  return {
    writes: [
      ...deps.teams.changePermissions(member, permissions),
      ...(isNewOwner ? await withdrawAddress(deps, member) : []),
    ],
    messages: [
      ...announcePermissions(deps, { ...member, permissions }, origin),
      ...(isOtherRole ? [userIndexUpdate(deps.outbox, member.userId)] : []),
    ],
  };
}

/**
 * Withdraws an unconfirmed change of the email address: an admin may have requested it, and must not get hold of an
 * owner's account that way.
 */
async function withdrawAddress({ accounts }: Deps, { userId }: Member): Promise<Write[]> {
  const account = await accounts.get(userId);
  if (account?.emailUnvalidated === undefined) return [];
  return accounts.save(account, { ...account, emailUnvalidated: undefined });
}
