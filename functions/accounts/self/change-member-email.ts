import type { ContactIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Member } from "#shared/teams/member.ts";
import { changeAddress } from "./change-address.ts";
import type { Deps } from "./deps.ts";

/**
 * Give a member of the acting user's team another e-mail address. As in a change of one's own, the member has to confirm
 * it; nothing changes when the member already has it.
 *
 * @throws ApiError `insufficient-permissions` unless the acting user is an admin or owner; `not-found` for a user who is
 *   not in the same team; and those of `changeAddress`
 * @see operation `update-user-email`
 */
export async function changeMemberEmail(
  deps: Deps,
  actorId: string,
  { userId, identity }: { userId: string; identity: ContactIdentity },
): Promise<void> {
  const admin = await adminOver(deps, actorId, userId);
  const conditions = async (attempt: number) => [
    deps.teams.requirePermissions(attempt === 1 ? admin : await adminOver(deps, actorId, userId)),
  ];
  await changeAddress(deps, { userId, identity, conditions });
}

/** The acting user as an admin of the team that the other one is in. */
async function adminOver({ accounts, teams }: Deps, actorId: string, userId: string): Promise<Member> {
  const read = await accounts.getMany([actorId, userId]);
  const [acting, other] = [actorId, userId].map((id) => read.find((account) => account.userId === id));
  const teamId = acting?.teamId;
  const member = teamId === undefined ? undefined : await teams.getMember({ teamId, userId: actorId });
  const admin = checkMember(member, { role: "admin" }, insufficientPermissions);
  if (other?.teamId !== teamId) throw new ApiError("not-found");
  return admin;
}
