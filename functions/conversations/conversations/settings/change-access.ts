import { isDeepStrictEqual } from "node:util";
import { deleteBots } from "#shared/conversations/bots/delete-bots.ts";
import { access, accessRole, type Conversation } from "#shared/conversations/conversation.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { accessData, conversationAccessUpdate } from "#shared/conversations/events/settings.ts";
import {
  announceRemovals,
  notAdmitted,
  removalsPerTransaction,
} from "#shared/conversations/remove-not-admitted.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type ChangeCommand, changeConversation } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";

type AccessData = Pick<Conversation, "access" | "accessRoles">;

/**
 * Set who may be in a conversation and how they get in. Removes members who may no longer be in it, by a job if they do
 * not fit into the transaction. Without the access `code`, the guest link is removed, too.
 *
 * @returns the event; undefined when nothing has changed
 * @throws ApiError those of `changeConversation`, `invalid-op` for access that groups cannot have
 * @see operations `update-conversation-access` and its older forms
 */
export function changeAccess(deps: Deps, { next, ...command }: ChangeCommand & { next: AccessData }) {
  const { guestLinks, outbox } = deps;
  const { actor, conversationId } = command;
  const fields = inOrder(next);
  return changeConversation(
    deps,
    command,
    { action: "modify_conversation_access", event: conversationAccessUpdate },
    async ({ conversation, members }) => {
      checkAccess(fields, conversation);
      if (isDeepStrictEqual(fields, inOrder(conversation))) return undefined;
      const removed = await notAdmitted(deps, { ...conversation, ...fields }, members);
      const leaving = removed.slice(0, removalsPerTransaction(members));
      const deletion = await deleteBots(deps, conversation, leaving);
      const losesLink = conversation.access.includes("code") && !fields.access.includes("code");
      return {
        fields,
        leaving,
        data: accessData(fields),
        writes: [...(losesLink ? [guestLinks.removeOf(conversationId)] : []), ...deletion.writes],
        messagesAfter: (changed) => [
          ...announceRemovals(deps, { conversation: changed, members, leaving, actor }),
          ...deletion.messages,
          ...(removed.length > leaving.length
            ? [orderConversationJob(outbox, { job: "remove-not-admitted", conversationId, actor })]
            : []),
        ],
      };
    },
  );
}

/** Each value once, in the order of the interface. */
const inOrder = ({ access: ways, accessRoles }: AccessData): AccessData => ({
  access: access.options.filter((way) => ways.includes(way)),
  accessRoles: accessRole.options.filter((role) => accessRoles.includes(role)),
});

/** @throws ApiError `invalid-op` */
function checkAccess(next: AccessData, { teamId }: Conversation): void {
  const admitsUsers = next.accessRoles.some((role) => teamId !== undefined || role !== "team_member");
  if (next.access.includes("private") || !admitsUsers) throw new ApiError("invalid-op");
}
