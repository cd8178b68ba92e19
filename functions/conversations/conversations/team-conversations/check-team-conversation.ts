import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Deps } from "../deps.ts";

/**
 * Check, for a member of a team, that a conversation belongs to the team.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`, `no-conversation`
 * @see operation `get-team-conversation`
 */
export async function checkTeamConversation(
  { conversations, teams }: Deps,
  { teamId, userId, conversationId }: { teamId: string; userId: string; conversationId: string },
): Promise<void> {
  const [member, conversation] = await Promise.all([
    teams.getMember({ teamId, userId }),
    conversations.get(conversationId),
  ]);
  checkMember(member, { permission: "GetTeamConversations" });
  if (conversation?.teamId !== teamId) throw new ApiError("no-conversation");
}
