import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { checkTeamConversation } from "./check-team-conversation.ts";
import { deleteTeamConversation } from "./delete-team-conversation.ts";
import { listTeamConversations } from "./list-team-conversations.ts";
import type { routes } from "./routes.ts";
import { toTeamConversationView } from "./team-conversation-view.ts";

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
