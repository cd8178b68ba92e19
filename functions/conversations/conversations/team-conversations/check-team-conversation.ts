import { batchRead } from "#shared/platform/data/batch-read.ts";
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
  { conversations, dynamo, teams }: Deps,
  { teamId, userId, conversationId }: { teamId: string; userId: string; conversationId: string },
): Promise<void> {
  const items = await batchRead(dynamo, [
    { tableName: teams.tableName, keys: teams.memberKeys(teamId, [userId]) },
    { tableName: conversations.tableName, keys: conversations.conversationKeys([conversationId]) },
  ]);
  checkMember(teams.memberOf({ teamId, userId }, items), { permission: "GetTeamConversations" });
  const conversation = conversations.conversationOf(conversationId, items);
  if (conversation?.teamId !== teamId) throw new ApiError("no-conversation");
}
