import type { Write } from "#shared/data/conditions.ts";
import type { Connection, ConnectionPair } from "#shared/data/connection/connection.ts";
import { userConnection } from "#shared/events/user-connection.ts";
import type { Actor } from "#shared/http/route.ts";
import { commitWithMessages } from "#shared/messaging/commit-with-messages.ts";
import type { StagedMessage } from "#shared/messaging/outbox.ts";
import { toConnectionView } from "#shared/schemas/connection.ts";
import type { Deps } from "./deps.ts";
import type { Sides } from "./transitions.ts";

export interface Change {
  readonly actor: Actor;
  /** Of the acting user. */
  readonly name: string;
  readonly peerId: string;
  /** Undefined where there is no connection yet. */
  readonly previous: ConnectionPair | undefined;
  readonly next: Sides & { readonly isSilent?: boolean };
  /** What else has to hold. */
  readonly conditions?: readonly Write[];
}

/**
 * Bring both sides into their next states, and tell the acting user, and the other one if that side changes.
 *
 * @returns the acting user's side
 * @throws StaleReadError when `previous` is not the state any more
 * @throws ApiError `connection-limit`
 */
export async function commitChange(deps: Deps, change: Change): Promise<Connection> {
  const { client, connections } = deps;
  const { previous, next, conditions = [] } = change;
  const pair = nextPair(deps, change);
  const messages = next.isSilent ? [] : announce(deps, change, pair);
  await commitWithMessages(client, [...conditions, ...connections.save(previous, pair)], messages);
  return pair.own;
}

/** The acting user's side counts as changed also where its status stays, as when a request is sent again. */
function nextPair({ clock }: Deps, { actor, peerId, previous, next }: Change): ConnectionPair {
  const updatedAt = clock();
  const toRow = (
    users: { userId: string; peerId: string },
    status: Connection["status"],
    before?: Connection,
  ) => ({
    ...users,
    status,
    updatedAt,
    revision: (before?.revision ?? 0) + 1,
  });
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
 * Events travel in the order of who gets them: a later state must not arrive before an earlier one, though two users
 * bring them about.
 */
function announce(
  { events, settings }: Deps,
  { actor, name, previous }: Change,
  { own, other }: ConnectionPair,
): StagedMessage[] {
  const contentOf = (row: Connection) => ({ connection: toConnectionView(row, settings.domain) });
  const to = ({ userId }: Connection) => ({ sender: userId, recipients: [{ userId }] });
  const toOwn = events.stage(userConnection, contentOf(own), { ...to(own), origin: actor });
  if (other === previous?.other) return toOwn;
  const user = other.status === "cancelled" ? undefined : { name };
  return [...toOwn, ...events.stage(userConnection, { ...contentOf(other), user }, to(other))];
}
