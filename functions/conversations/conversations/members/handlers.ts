import { deleteBots } from "#shared/conversations/bots/delete-bots.ts";
import { isChannel } from "#shared/conversations/conversation.ts";
import { orderDepartureJobs } from "#shared/conversations/conversation-job.ts";
import type { ConversationRole } from "#shared/conversations/conversation-roles.ts";
import {
  conversationMemberLeave,
  conversationMemberUpdate,
  leaveData,
  roleData,
} from "#shared/conversations/events/members.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { type ChangeCommand, changeConversation, eventReply } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { joinConversation } from "../join.ts";
import { requestedRole } from "../requested-role.ts";
import type { QualifiedUser } from "../users-in-request.ts";
import { addMembers } from "./add-members.ts";
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

/**
 * Change the role of another member. A conversation may end up without an admin.
 *
 * @param command.userId undefined for a user of another domain
 * @throws ApiError those of `changeConversation`, `invalid-op` for oneself, `no-conversation-member`
 * @see operation `update-other-member` and its older form
 */
async function changeRole(
  deps: Deps,
  {
    userId,
    role,
    ...command
  }: ChangeCommand & { readonly userId: string | undefined; readonly role: ConversationRole },
): Promise<void> {
  const options = { action: "modify_other_conversation_member", event: conversationMemberUpdate } as const;
  await changeConversation(deps, command, options, ({ members }) => {
    if (userId === command.actor.userId) throw new ApiError("invalid-op");
    const member = members.find((one) => one.userId === userId);
    if (member === undefined) throw new ApiError("no-conversation-member");
    if (member.role === role) return undefined;
    return { updated: [{ ...member, role }], data: roleData(member.userId, role, deps.settings) };
  });
}

/**
 * Join a conversation that is open to those who know its id.
 *
 * @returns the event; undefined when the user is a member already
 * @throws ApiError those of `joinConversation`
 * @see operation `join-conversation-by-id-unqualified`
 */
const joinById = (deps: Deps, command: ChangeCommand) =>
  joinConversation(deps, command, () => ({
    check: ({ access }) => {
      if (!access.includes("link")) throw new ApiError("access-denied");
    },
  }));

/**
 * Leave a conversation, or remove another member. A bot that is removed is deleted.
 *
 * @param command.userId undefined for a user of another domain
 * @returns the event; undefined when the user is not a member, and for a member removed from a channel
 * @throws ApiError those of `changeConversation`
 * @see operation `remove-member` and its older form
 */
function removeMember(
  deps: Deps,
  { userId, ...command }: ChangeCommand & { readonly userId: string | undefined },
) {
  const { conversationId, actor } = command;
  const isLeaving = userId === actor.userId;
  return changeConversation(
    deps,
    command,
    {
      action: isLeaving ? "leave_conversation" : "remove_conversation_member",
      event: conversationMemberLeave,
    },
    async ({ conversation, members }) => {
      const member = members.find((one) => one.userId === userId);
      if (userId === undefined || member === undefined) return undefined;
      const deletion = await deleteBots(deps, conversation, [member]);
      return {
        leaving: [{ conversationId, userId }],
        data: leaveData([userId], isLeaving ? "left" : "removed", deps.settings),
        writes: deletion.writes,
        messagesAfter: (changed) => [
          ...orderDepartureJobs(deps.outbox, changed, { members, leaving: [userId] }),
          ...deletion.messages,
        ],
        isUnanswered: isChannel(conversation) && !isLeaving,
      };
    },
  );
}
