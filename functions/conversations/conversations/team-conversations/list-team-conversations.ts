import type * as z from "zod";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import type { teamConversation } from "./schemas.ts";
import { toTeamConversationView } from "./team-conversation-view.ts";

/**
 * List the conversations of a team in the order of their ids, as many as fit into one answer. Nothing is read for
 * strangers, because one request may read several megabytes.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`
 * @see operation `get-team-conversations`
 */
export async function listTeamConversations(
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
