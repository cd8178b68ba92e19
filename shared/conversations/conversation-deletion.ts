import type { Actor } from "#shared/platform/http/route.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import { announce } from "./announce.ts";
import type { Conversation } from "./conversation.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import { orderConversationJob } from "./conversation-job.ts";
import type { Addressee } from "./conversation-member.ts";
import { conversationDelete } from "./events/lifecycle.ts";

type Deps = Pick<ConversationDeps, "conversations" | "events" | "guestLinks" | "outbox" | "settings">;

/**
 * Deletes a conversation with its guest link: from the commit on it is unknown, and a job erases the rest.
 * @param to.recipients users who get the event
 */
export function conversationDeletion(
  { conversations, guestLinks, outbox, ...deps }: Deps,
  conversation: Conversation,
  { actor, recipients }: { actor: Actor; recipients: readonly Addressee[] },
): Change {
  const { conversationId, teamId } = conversation;
  const { next, writes } = conversations.bury(conversation);
  const { messages } = announce(deps, conversationDelete, {
    conversation: next,
    actor,
    recipients,
    data: null,
  });
  const erasure = orderConversationJob(outbox, {
    job: "erase",
    conversationId,
    teamId,
    groupId: conversation.group?.groupId,
  });
  return { writes: [...writes, guestLinks.removeOf(conversationId)], messages: [...messages, erasure] };
}
