import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Deps } from "../deps.ts";
import { type PageRequest, pageOfMembers } from "./list-members.ts";

/**
 * List the members of a user's team, the user included.
 *
 * @throws ApiError `no-team`
 * @see operation `i-get-user-team-members`
 */
export async function listTeamMates(
  deps: Deps,
  userId: string,
  page: PageRequest,
): Promise<{ members: Member[]; hasMore: boolean }> {
  const account = await deps.accounts.get(userId);
  if (account?.teamId === undefined) throw new ApiError("no-team");
  return pageOfMembers(deps, account.teamId, page);
}
