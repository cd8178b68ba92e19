import { type Account, isActivated } from "#shared/accounts/account.ts";
import type { Conversation } from "#shared/conversations/conversation.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";

/**
 * Check that a conversation admits users by its access roles.
 *
 * @param accounts undefined for unknown users and those of other domains, who are in no team
 * @throws ApiError `access-denied`, `not-a-team-member`
 */
export function checkAccessRoles(
  { accessRoles, teamId }: Pick<Conversation, "accessRoles" | "teamId">,
  accounts: readonly (Account | undefined)[],
): void {
  if (accessRoles.length === 0) throw new ApiError("access-denied");
  const isOutside = (account?: Account) => teamId === undefined || account?.teamId !== teamId;
  if (!accessRoles.includes("non_team_member") && accounts.some(isOutside))
    throw new ApiError("not-a-team-member");
  const isAnonymous = (account?: Account) => account !== undefined && !isActivated(account);
  if (!accessRoles.includes("guest") && accounts.some(isAnonymous)) throw new ApiError("access-denied");
}
