import { announce } from "#shared/conversations/announce.ts";
import {
  type Connection,
  type ConnectionPair,
  isCounted,
} from "#shared/conversations/connections/connection.ts";
import {
  leaveMlsConversation,
  rejoinMlsConversation,
} from "#shared/conversations/connections/mls-conversation.ts";
import type { Parties } from "#shared/conversations/connections/parties.ts";
import type { Conversation } from "#shared/conversations/conversation.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { toConversationInEvent } from "#shared/conversations/conversation-view.ts";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import {
  connectRequestData,
  conversationConnectRequest,
  conversationCreate,
} from "#shared/conversations/events/lifecycle.ts";
import { conversationMemberJoin, joinData } from "#shared/conversations/events/members.ts";
import { newConversation } from "#shared/conversations/new-conversation.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Deps } from "./deps.ts";

export interface ConversationTransition extends Pick<Parties, "found" | "mls"> {
  readonly actor: Actor;
  /** Whether the acting user requests the connection, and the name of the conversation. */
  readonly request?: { readonly name?: string };
  /** Whether to send no event. */
  readonly isSilent?: boolean;
}

/**
 * Create the part of a connection's change that concerns the conversations of the two users. Their members are the users
 * who have requested or accepted the connection and not blocked the other one: the statuses that count towards the
 * limit. Once both are members, it is a one-to-one conversation. A block sends no event. The conversation with MLS is
 * created by a commit only.
 */
export function conversationChange(
  deps: Deps,
  transition: ConversationTransition,
  pair: ConnectionPair,
): Effects {
  return combine(proteusChange(deps, transition, pair), mlsChange(deps, transition, pair));
}

type Effects = Pick<Change, "writes" | "messages">;

function mlsChange(
  deps: Deps,
  { actor, mls, isSilent }: ConversationTransition,
  { own, other }: ConnectionPair,
): Effects {
  if (!isCounted(own)) return leaveMlsConversation(deps, mls, [own.userId]);
  const userIds = [own, other].filter(isCounted).map(({ userId }) => userId);
  return rejoinMlsConversation(deps, mls, { actor, userIds, isSilent });
}

function proteusChange(
  deps: Deps,
  transition: ConversationTransition,
  { own, other }: ConnectionPair,
): Effects {
  const { found } = transition;
  const present = new Set(found?.members.map(({ userId }) => userId));
  if (!isCounted(own)) return found && present.has(own.userId) ? leave(deps, found, own) : nothing;
  const joining = [own, other].filter((side) => isCounted(side) && !present.has(side.userId));
  return found === undefined
    ? create(deps, transition, { own, joining })
    : join(deps, { ...transition, found }, { own, joining });
}

interface Joining {
  readonly own: Connection;
  readonly joining: readonly Connection[];
}

const nothing = { writes: [], messages: [] };

const leave = ({ conversations }: Deps, { conversation }: PopulatedConversation, { userId }: Connection) => ({
  writes: conversations.change(conversation, {
    leaving: [{ conversationId: conversation.conversationId, userId }],
  }).writes,
  messages: [],
});

const toMember = ({ userId, peerId }: Connection) => ({
  conversationId: oneToOneConversationId(userId, peerId),
  userId,
  role: "admin" as const,
});

/** Also creates the conversation of an older connection that has none, when one of its users joins again. */
function create(deps: Deps, transition: ConversationTransition, { own, joining }: Joining) {
  const { actor, request, isSilent = false } = transition;
  const populated = newConversation(
    {
      conversationId: oneToOneConversationId(own.userId, own.peerId),
      type: typeFor(joining.length),
      creator: own.userId,
      name: request?.name,
      members: joining.map(toMember),
    },
    deps,
  );
  const { conversation, members } = populated;
  const { messages } = announce(deps, conversationCreate, {
    conversation,
    actor,
    recipients: members,
    data: toConversationInEvent(populated, deps.settings),
  });
  return {
    writes: deps.conversations.create(conversation, members),
    messages: isSilent ? [] : [...messages, ...announceRequest(deps, transition, { conversation, own })],
  };
}

function join(
  deps: Deps,
  transition: ConversationTransition & { found: PopulatedConversation },
  { own, joining }: Joining,
) {
  const { actor, found, request, isSilent = false } = transition;
  const { conversation, members } = found;
  const isAccepted = own.status === "accepted";
  if (joining.length === 0 && (isAccepted || request === undefined)) return nothing;
  const newcomers = joining.map(toMember);
  const isPending = conversation.type === "connection";
  const { next, writes } = deps.conversations.change(conversation, {
    joining: newcomers,
    fields: {
      ...(isPending && { type: typeFor(members.length + newcomers.length) }),
      ...(isPending && request?.name !== undefined && { name: request.name }),
    },
  });
  if (isSilent) return { writes, messages: [] };
  if (!isAccepted)
    return { writes, messages: announceRequest(deps, transition, { conversation: next, own }) };
  const { messages } = announce(deps, conversationMemberJoin, {
    conversation: next,
    actor,
    recipients: [...members, ...newcomers],
    data: joinData(newcomers, deps.settings),
    isQuiet: true,
  });
  return { writes, messages };
}

/** Tells only the requester's devices, because nobody else is in the conversation. */
function announceRequest(
  deps: Deps,
  { actor, request }: ConversationTransition,
  { conversation, own }: { conversation: Conversation; own: Connection },
): OutboxMessage[] {
  if (request === undefined || conversation.type !== "connection") return [];
  return announce(deps, conversationConnectRequest, {
    conversation,
    actor,
    recipients: [{ userId: own.userId }],
    data: connectRequestData(own.peerId, conversation.name, deps.settings),
  }).messages;
}

const typeFor = (memberCount: number) => (memberCount === 2 ? "one-to-one" : "connection");
