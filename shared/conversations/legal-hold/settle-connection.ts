import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import { announce } from "#shared/conversations/announce.ts";
import {
  type Connection,
  type ConnectionPair,
  isCounted,
} from "#shared/conversations/connections/connection.ts";
import { toConnectionView, userConnection } from "#shared/conversations/connections/connection-view.ts";
import {
  leaveMlsConversation,
  rejoinMlsConversation,
} from "#shared/conversations/connections/mls-conversation.ts";
import { type Parties, readParties } from "#shared/conversations/connections/parties.ts";
import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import { conversationMemberJoin, joinData } from "../events/members.ts";

/**
 * Set the connection of two users aside while legal hold keeps them apart, and restore it afterwards. Meanwhile,
 * neither is in their conversations.
 */
export async function settleConnection(
  deps: SettlementDeps,
  { userId, peerId }: { userId: string; peerId: string },
): Promise<void> {
  const { accounts, connections, clock, events, settings } = deps;
  await change(deps, async () => {
    const parties = await readParties(deps, userId, peerId);
    const { own, pair, peer } = parties;
    if (pair === undefined || own === undefined || peer === undefined) return undefined;
    const users = [own, peer];
    // The erasure of the account removes the connection.
    if (users.some(({ status }) => status === "deleted")) return undefined;
    const isBetween = isConflict((await readLegalHoldStatuses(deps, users)).values());
    const move = isBetween ? hold : release;
    const next = { own: move(pair.own, clock()), other: move(pair.other, clock()) };
    const changed = [next.own, next.other].filter((row) => row !== pair.own && row !== pair.other);
    if (changed.length === 0) return undefined;
    const conversation = isBetween ? leave(deps, parties) : rejoin(deps, parties, next);
    const mls = isBetween
      ? leaveMlsConversation(deps, parties.mls, [userId, peerId])
      : rejoinMlsConversation(deps, parties.mls, {
          actor: { userId },
          userIds: [next.own, next.other].filter(isCounted).map((row) => row.userId),
        });
    return combine(
      { writes: users.map((account) => accounts.requireSameLegalHold(account)) },
      {
        writes: connections.save(pair, next),
        messages: changed.flatMap((row) =>
          events.toUser(row, userConnection, { connection: toConnectionView(row, settings.domain) }),
        ),
      },
      conversation,
      mls,
    );
  });
}

function hold(row: Connection, now: number): Connection {
  if (row.status === "missing-legalhold-consent") return row;
  const { status } = row;
  return { ...changedAt(row, now), status: "missing-legalhold-consent", statusBeforeHold: status };
}

function release(row: Connection, now: number): Connection {
  const { statusBeforeHold, ...rest } = row;
  if (statusBeforeHold === undefined) return row;
  return { ...changedAt(rest, now), status: statusBeforeHold };
}

const changedAt = (row: Connection, now: number): Connection => ({
  ...row,
  updatedAt: now,
  revision: row.revision + 1,
});

const nothing = { writes: [], messages: [] };

type Effects = Pick<Change, "writes" | "messages">;

/** As with a block, the conversation gets no event. */
function leave({ conversations }: SettlementDeps, { found }: Parties): Effects {
  if (found === undefined || found.members.length === 0) return nothing;
  return {
    writes: conversations.change(found.conversation, { leaving: found.members }).writes,
    messages: [],
  };
}

/** The users who belong in the conversation by the status of the connection join it again. */
function rejoin(deps: SettlementDeps, { found }: Parties, { own, other }: ConnectionPair): Effects {
  if (found === undefined) return nothing;
  const { conversation, members } = found;
  const { conversationId } = conversation;
  const joining = [own, other]
    .filter((row) => isCounted(row) && !members.some(({ userId }) => userId === row.userId))
    .map(({ userId }) => ({ conversationId, userId, role: "admin" as const }));
  if (joining.length === 0) return nothing;
  const { next, writes } = deps.conversations.change(conversation, { joining });
  const { messages } = announce(deps, conversationMemberJoin, {
    conversation: next,
    actor: { userId: own.userId },
    recipients: [...members, ...joining],
    data: joinData(joining, deps.settings),
    isQuiet: true,
  });
  return { writes, messages };
}

/** Dependencies of bringing connections and groups in line with legal hold. */
export type SettlementDeps = Pick<
  ConversationDeps,
  | "accounts"
  | "clock"
  | "connections"
  | "conversations"
  | "dynamo"
  | "events"
  | "features"
  | "outbox"
  | "settings"
>;
