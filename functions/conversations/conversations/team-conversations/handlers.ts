import type * as z from "zod";
import { conversationDeletion } from "#shared/conversations/conversation-deletion.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import { checkAction } from "../check-action.ts";
import type { Deps } from "../deps.ts";
import type { routes, teamConversation } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "get-team-conversations": async ({ actor: { userId }, params }) => ({
    body: { conversations: await listTeamConversations(deps, { teamId: params.tid, userId }) },
  }),

  "get-team-conversation": async ({ actor: { userId }, params }) => {
    const conversationId = params.cid;
    await checkTeamConversation(deps, { teamId: params.tid, userId, conversationId });
    return { body: toTeamConversationView(conversationId) };
  },

  "delete-team-conversation": async ({ actor, params }) => {
    await deleteTeamConversation(deps, { actor, teamId: params.tid, conversationId: params.cid });
    return {};
  },
});

/**
 * List the conversations of a team in the order of their ids, as many as fit into one answer. Nothing is read for
 * strangers, because one request may read several megabytes.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`
 * @see operation `get-team-conversations`
 */
async function listTeamConversations(
  { conversations, teams }: Deps,
  membership: Membership,
): Promise<z.input<typeof teamConversation>[]> {
  checkMember(await teams.getMember(membership), { permission: "GetTeamConversations" });
  const list = new AnswerList<z.input<typeof teamConversation>>();
  for await (const { conversationId } of conversations.ofTeam(membership.teamId)) {
    if (!list.add(toTeamConversationView(conversationId))) break;
  }
  return list.items;
}

/**
 * Check, for a member of a team, that a conversation belongs to the team.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`, `no-conversation`
 * @see operation `get-team-conversation`
 */
async function checkTeamConversation(
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

/**
 * Delete a conversation of a team. All of its members are told, whether or not they are in the team.
 *
 * @throws ApiError `no-conversation`, `action-denied`, `invalid-op`, `not-a-team-member`
 * @see operation `delete-team-conversation`
 */
async function deleteTeamConversation(
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
    // Afterwards, nobody can find out by the id which conversation this was.
    describeAudited({ changes: { name: { before: conversation.name, after: undefined } } });
    const { writes, messages } = conversationDeletion(deps, conversation, {
      actor,
      recipients: members,
    });
    return { writes: [...writes, teams.requirePermissions(requiredMember)], messages };
  });
}

const toTeamConversationView = (conversationId: string): z.input<typeof teamConversation> => ({
  conversation: conversationId,
  managed: false,
});
