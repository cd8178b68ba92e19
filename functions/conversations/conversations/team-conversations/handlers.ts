import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";
import {
  checkTeamConversation,
  deleteTeamConversation,
  listTeamConversations,
  toTeamConversationView,
} from "./team-conversations.ts";

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
