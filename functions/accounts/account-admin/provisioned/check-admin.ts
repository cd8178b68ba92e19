import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Deps } from "../deps.ts";

/**
 * Find the team of which a user is an admin or owner.
 *
 * @throws ApiError `insufficient-permissions`
 * @see operation `i-check-admin`
 */
export async function checkAdmin({ accounts, teams }: Deps, userId: string): Promise<string> {
  const account = await accounts.get(userId);
  const { teamId } = account ?? {};
  const member = teamId === undefined ? undefined : await teams.getMember({ teamId, userId });
  return checkMember(member, { role: "admin" }, insufficientPermissions).teamId;
}
