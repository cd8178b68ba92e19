import type { ContactIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import { changeAddress } from "./change-address.ts";
import type { Deps } from "./deps.ts";

/**
 * Give a member of the acting user's team another email address. As with a change by the member, it must be confirmed;
 * nothing changes when the member already has it.
 *
 * @throws ApiError `insufficient-permissions` unless the acting user is an admin or owner, and for an owner's address
 *   unless it is an owner; `not-found` for a user who is not in the same team; and those of `changeAddress`
 * @see operation `update-user-email`
 */
export async function changeMemberEmail(
  deps: Deps,
  actorId: string,
  { userId, identity }: { userId: string; identity: ContactIdentity },
): Promise<void> {
  const checked = await adminAndMember(deps, actorId, userId);
  const conditions = async (attempt: number) => {
    const members = attempt === 1 ? checked : await adminAndMember(deps, actorId, userId);
    return members.map((member) => deps.teams.requirePermissions(member));
  };
  await changeAddress(deps, { userId, identity, conditions });
}

/**
 * Requires the acting user to be an admin, and the other one, if different, to be in the same team. Whoever receives a
 * user's mails can reset the password, so an admin who could change an owner's address could become an owner.
 */
async function adminAndMember({ accounts, teams }: Deps, actorId: string, userId: string): Promise<Member[]> {
  const read = await accounts.getMany([...new Set([actorId, userId])]);
  const [acting, other] = [actorId, userId].map((id) => read.find((account) => account.userId === id));
  const teamId = acting?.teamId;
  const members = teamId === undefined ? [] : await teams.getMembers(teamId, [actorId, userId]);
  const memberOf = (id: string) => members.find((member) => member.userId === id);
  const admin = checkMember(memberOf(actorId), { role: "admin" }, insufficientPermissions);
  if (other?.teamId !== teamId) throw new ApiError("not-found");
  const member = memberOf(userId);
  if (member !== undefined && hasOwnerRights(member) && !hasOwnerRights(admin))
    throw new ApiError("insufficient-permissions");
  return members;
}
