import { announce } from "#shared/conversations/announce.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import type { ConversationStore, PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { conversationMemberJoin, joinData } from "../events/members.ts";

type Effects = Pick<Change, "writes" | "messages">;

/** The MLS conversation of two users. */
export interface MlsConversation {
  readonly conversationId: string;
  /** Undefined before the first commit. */
  readonly found: PopulatedConversation | undefined;
}

/**
 * Take users out of their MLS conversation, without an event, so that nobody notices a block. Their devices stay in the
 * group, but get nothing until the users are members again. Their calls end, as for everybody who leaves.
 */
export function leaveMlsConversation(
  { conversations, outbox }: { readonly conversations: ConversationStore; readonly outbox: Outbox },
  { conversationId, found }: MlsConversation,
  userIds: readonly string[],
): Effects {
  // Otherwise, the first commit might be under way, and have found the users connected.
  if (found === undefined) return { writes: [conversations.requireUnknown(conversationId)], messages: [] };
  const leaving = found.members.filter(({ userId }) => userIds.includes(userId));
  if (leaving.length === 0) return { writes: [], messages: [] };
  const order = orderConversationJob(outbox, {
    job: "propose-removals",
    conversationId,
    userIds: leaving.map(({ userId }) => userId),
    onlySubconversations: true,
  });
  return { writes: conversations.change(found.conversation, { leaving }).writes, messages: [order] };
}

/** Bring users back into their MLS conversation. Their devices, which may have missed commits, join by themselves. */
export function rejoinMlsConversation(
  deps: {
    readonly conversations: ConversationStore;
    readonly events: EventPublisher;
    readonly outbox: Outbox;
    readonly settings: Settings;
  },
  { conversationId, found }: MlsConversation,
  { actor, userIds, isSilent = false }: { actor: Actor; userIds: readonly string[]; isSilent?: boolean },
): Effects {
  const members = found?.members ?? [];
  const absent = userIds.filter((userId) => !members.some((member) => member.userId === userId));
  if (found === undefined || absent.length === 0) return { writes: [], messages: [] };
  const joining = absent.map((userId) => ({ conversationId, userId, role: "member" as const }));
  const { next, writes } = deps.conversations.change(found.conversation, { joining });
  const { messages } = announce(deps, conversationMemberJoin, {
    conversation: next,
    actor,
    recipients: [...members, ...joining],
    data: joinData(joining, deps.settings),
    isQuiet: true,
  });
  const order = orderConversationJob(deps.outbox, {
    job: "propose-removals",
    conversationId,
    userIds: [],
    lostDevicesOf: absent,
  });
  return { writes, messages: [...(isSilent ? [] : messages), order] };
}
