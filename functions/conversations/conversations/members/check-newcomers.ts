import { isChannel } from "#shared/conversations/conversation.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { hasPermission } from "#shared/teams/permissions.ts";
import { type Candidates, checkAccessRoles, checkAcquainted } from "../candidates.ts";
import type { Subject } from "../check-action.ts";

/**
 * Check whether a conversation admits users whom a member adds. The order is part of the interface.
 * @throws ApiError `access-denied`, `not-a-team-member`, `not-connected`
 */
export function checkNewcomers(
  { conversation }: Subject,
  candidates: Candidates,
  { newcomers, hasRemoteUsers }: { newcomers: readonly string[]; hasRemoteUsers: boolean },
): void {
  if (!conversation.access.includes("invite")) throw new ApiError("access-denied");
  const strangers = hasRemoteUsers ? [undefined] : [];
  checkAccessRoles(conversation, [...newcomers.map((id) => candidates.accounts.get(id)), ...strangers]);
  if (hasRemoteUsers) throw new ApiError("not-connected");
  checkAcquainted(candidates, newcomers);
}

/**
 * Check whether the team lets the acting user bring others into its conversations.
 * @throws ApiError `invalid-op`
 */
export function checkTeamRights({ conversation, teamMember }: Subject): void {
  const isAllowed = teamMember === undefined || hasPermission(teamMember.permissions, "AddRemoveConvMember");
  if (!isAllowed && !isChannel(conversation)) throw new ApiError("invalid-op");
}
