import { conversationDeletion } from "#shared/conversations/conversation-deletion.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { checkAction } from "../check-action.ts";
import type { Deps } from "../deps.ts";

/**
 * Delete a conversation of a team. All of its members are told, whether or not they are in the team.
 *
 * @throws ApiError `no-conversation`, `action-denied`, `invalid-op`, `not-a-team-member`
 * @see operation `delete-team-conversation`
 */
export async function deleteTeamConversation(
  deps: Deps,
  { actor, teamId, conversationId }: { actor: Actor; teamId: string; conversationId: string },
): Promise<void> {
  const { conversations, teams } = deps;
  const { userId } = actor;
  await change(deps, async () => {
    const [found, teamMember] = await Promise.all([
      conversations.getPopulated(conversationId),
      teams.getMember({ teamId, userId }),
    ]);
    if (found?.conversation.teamId !== teamId) throw new ApiError("no-conversation");
    const { conversation, members } = found;
    const self = members.find((member) => member.userId === userId);
    checkAction({ conversation, members, self, teamMember }, "delete_conversation");
    const requiredMember = checkMember(teamMember);
    const { writes, messages } = conversationDeletion(deps, conversation, {
      actor,
      recipients: members,
    });
    return { writes: [...writes, teams.requirePermissions(requiredMember)], messages };
  });
}
