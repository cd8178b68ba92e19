import { actionsOf, conversationRoles, roleName } from "#shared/conversations/conversation-roles.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Deps } from "../deps.ts";
import { readAsMember } from "../read-as-member.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings, teams } = deps;
  const roles = conversationRoles.map((role) => ({
    conversation_role: roleName(role, settings.vendor),
    actions: [...actionsOf(role)],
  }));
  const body = { conversation_roles: roles };

  return {
    "get-conversation-roles": async ({ actor: { userId }, params }) => {
      await readAsMember(deps, { userId, conversationId: params.cid });
      return { body };
    },
    "get-team-conversation-roles": async ({ actor: { userId }, params }) => {
      checkMember(await teams.getMember({ teamId: params.tid, userId }));
      return { body };
    },
  };
}
