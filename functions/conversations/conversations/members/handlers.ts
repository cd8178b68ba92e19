import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
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

  const add = async (
    actor: Actor,
    conversationId: string,
    users: readonly QualifiedUser[],
    roleName: string | null | undefined,
  ) => {
    const local = users.filter(isLocal);
    const event = await addMembers(deps, {
      actor,
      conversationId,
      userIds: local.map(({ id }) => id),
      hasRemoteUsers: local.length < users.length,
      role: roleNamed(roleName),
    });
    return eventReply(event);
  };

  return {
    "add-members-to-conversation": ({ actor, params, body }) =>
      add(actor, params.cid, body.qualified_users, body.conversation_role),
    "add-members-to-conversation-unqualified": ({ actor, params, body }) => {
      const users = body.users.map((id) => ({ domain: settings.domain, id }));
      return add(actor, params.cid, users, body.conversation_role);
    },
    "add-members-to-conversation-unqualified2": ({ actor, params, body }) =>
      add(actor, params.cid, body.qualified_users, body.conversation_role),

    "remove-member": async ({ actor, params: { domain, cid, user_domain, uid } }) => {
      const user = { domain: user_domain, id: uid };
      const isOneself = localId(user) === actor.userId;
      if (!isLocalDomain(domain, settings))
        throw new ApiError(isOneself ? "federation-not-enabled" : "action-denied");
      return eventReply(await removeMember(deps, { actor, conversationId: cid, userId: localId(user) }));
    },
    "remove-member-unqualified": async ({ actor, params: { cid, uid } }) =>
      eventReply(await removeMember(deps, { actor, conversationId: cid, userId: uid })),

    "update-other-member": async ({ actor, params: { cid, user_domain, uid }, body }) => {
      const role = requestedRole(body.conversation_role, settings);
      const userId = localId({ domain: user_domain, id: uid });
      await changeRole(deps, { actor, conversationId: cid, userId, role });
      return { body: undefined };
    },
    "update-other-member-unqualified": async ({ actor, params: { cid, uid }, body }) => {
      const role = requestedRole(body.conversation_role, settings);
      await changeRole(deps, { actor, conversationId: cid, userId: uid, role });
      return { body: undefined };
    },

    "join-conversation-by-id-unqualified": async ({ actor, params }) =>
      eventReply(await joinById(deps, { actor, conversationId: params.cid })),
  };
}
