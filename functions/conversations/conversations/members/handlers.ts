import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { eventReply } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { requestedRole } from "../requested-role.ts";
import type { QualifiedUser } from "../users-in-request.ts";
import { addMembers } from "./add-members.ts";
import { changeRole } from "./change-role.ts";
import { joinById } from "./join-by-id.ts";
import { removeMember } from "./remove-member.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;
  const isLocal = ({ domain }: QualifiedUser) => isLocalDomain(domain, settings);
  const localId = (user: QualifiedUser) => (isLocal(user) ? user.id : undefined);
  const roleNamed = (name: string | null | undefined) => (name ? requestedRole(name, settings) : undefined);

  return {
    "add-members-to-conversation": async ({ actor, params, body: { qualified_users: users, ...body } }) => {
      const local = users.filter(isLocal);
      const event = await addMembers(deps, {
        actor,
        conversationId: params.cid,
        userIds: local.map(({ id }) => id),
        hasRemoteUsers: local.length < users.length,
        role: roleNamed(body.conversation_role),
      });
      return eventReply(event);
    },

    "remove-member": async ({ actor, params: { domain, cid, user_domain, uid } }) => {
      const user = { domain: user_domain, id: uid };
      const isOneself = localId(user) === actor.userId;
      if (!isLocalDomain(domain, settings))
        throw new ApiError(isOneself ? "federation-not-enabled" : "action-denied");
      return eventReply(await removeMember(deps, { actor, conversationId: cid, userId: localId(user) }));
    },

    "update-other-member": async ({ actor, params: { cid, user_domain, uid }, body }) => {
      const role = requestedRole(body.conversation_role, settings);
      const userId = localId({ domain: user_domain, id: uid });
      await changeRole(deps, { actor, conversationId: cid, userId, role });
      return { body: undefined };
    },

    "join-conversation-by-id-unqualified": async ({ actor, params }) =>
      eventReply(await joinById(deps, { actor, conversationId: params.cid })),
  };
}
