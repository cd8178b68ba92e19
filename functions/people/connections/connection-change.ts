import type { Connection, ConnectionPair } from "#shared/conversations/connections/connection.ts";
import { toConnectionView, userConnection } from "#shared/conversations/connections/connection-view.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { type ConversationTransition, conversationChange } from "./conversation-change.ts";
import type { Deps } from "./deps.ts";
import type { Sides } from "./transitions.ts";

export interface Transition extends Omit<ConversationTransition, "isSilent"> {
  /** Name of the acting user. */
  readonly name: string;
  readonly peerId: string;
  /** Undefined where there is no connection yet. */
  readonly previous: ConnectionPair | undefined;
  readonly next: Sides & { readonly isSilent?: boolean };
  /** Further conditions of the transaction. */
  readonly conditions?: readonly Write[];
  /** Charges for the acting user. */
  readonly charge?: readonly Write[];
}

/**
 * Create the change that brings both sides into their next states, with the change of their conversation, an event for
 * the acting user, and one for the other user if that side changes. Its result is the acting user's side; it is
 * rejected as `ConnectionLimitError`.
 */
export function connectionChange(deps: Deps, transition: Transition): Change & { result: Connection } {
  const { previous, next, conditions = [], charge = [] } = transition;
  const pair = nextPair(deps, transition);
  const conversation = conversationChange(deps, { ...transition, isSilent: next.isSilent }, pair);
  return {
    ...combine(
      { writes: conditions },
      {
        writes: deps.connections.save(previous, pair),
        messages: next.isSilent ? [] : announce(deps, transition, pair),
      },
      conversation,
      // Last, because a stale state has to be decided again, even if the budget is spent.
      { writes: charge },
    ),
    result: pair.own,
  };
}

/** The acting user's side counts as changed even if its status stays, as when a request is sent again. */
function nextPair({ clock }: Deps, { actor, peerId, previous, next }: Transition): ConnectionPair {
  const updatedAt = clock();
  const toRow = (
    users: { userId: string; peerId: string },
    status: Connection["status"],
    before?: Connection,
  ): Connection => {
    const { statusBeforeHold: _, ...kept } = before ?? {};
    return { ...kept, ...users, status, updatedAt, revision: (before?.revision ?? 0) + 1 };
  };
  const { userId } = actor;
  return {
    own: toRow({ userId, peerId }, next.own, previous?.own),
    other:
      previous?.other.status === next.other
        ? previous.other
        : toRow({ userId: peerId, peerId: userId }, next.other, previous?.other),
  };
}

/**
 * Events are ordered by recipient: a later state must not arrive before an earlier one, even if the two were caused by
 * different users.
 */
function announce(
  { events, settings }: Deps,
  { actor, name, previous }: Transition,
  { own, other }: ConnectionPair,
): OutboxMessage[] {
  const contentOf = (row: Connection) => ({ connection: toConnectionView(row, settings.domain) });
  const toOwn = events.toSelf(actor, userConnection, contentOf(own));
  if (other === previous?.other) return toOwn;
  const user = other.status === "cancelled" ? undefined : { name };
  return [...toOwn, ...events.toUser(other, userConnection, { ...contentOf(other), user })];
}

/**
 * Writes that charge a user's daily budgets for a connection that the user requests or unblocks, because both can be
 * undone and repeated, and notify the other user each time. Accepting, blocking and repeating a pending request are
 * free. The first request to a user counts towards the budget for all users only. Rejected as `RateLimitedError`.
 */
export const chargeOpening = (
  { budget, settings }: Pick<Deps, "budget" | "settings">,
  { userId, peerId, isFirst = false }: { userId: string; peerId: string; isFirst?: boolean },
): Write[] => {
  const { perPair, perSender } = settings.setConnectionRequestDailyBudget;
  const bucket = `connections#${userId}`;
  return [
    ...(isFirst ? [] : budget.spendWrites(`${bucket}#${peerId}`, 1, perPair)),
    ...budget.spendWrites(bucket, 1, perSender),
  ];
};
