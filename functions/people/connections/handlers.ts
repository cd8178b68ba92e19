import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import type { Connection, ConnectionStatus } from "#shared/conversations/connections/connection.ts";
import { ConnectionLimitError } from "#shared/conversations/connections/connection-store.ts";
import { toConnectionView } from "#shared/conversations/connections/connection-view.ts";
import { readParties } from "#shared/conversations/connections/parties.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { chargeOpening, connectionChange } from "./connection-change.ts";
import { createConnection } from "./create-connection.ts";
import type { Deps } from "./deps.ts";
import { cursorAfter, type routes } from "./routes.ts";
import { decideUpdate } from "./transitions.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;
  const toView = (row: Connection) => toConnectionView(row, settings.domain);

  const create = async (actor: Actor, peer: { domain: string; id: string }, name?: string) => {
    const { connection, isNew } = await createConnection(deps, { actor, peer, name });
    return { status: isNew ? 201 : 200, body: toView(connection) } as const;
  };

  return {
    "create-connection": ({ actor, params }) => create(actor, { domain: params.domain, id: params.uid }),
    "create-connection-v0": ({ actor, body }) =>
      create(actor, { domain: settings.domain, id: body.user }, body.name),

    "update-connection": async ({ actor, params, body }) => {
      const connection = await updateConnection(deps, { actor, peerId: params.uid, status: body.status });
      return connection === undefined ? { status: 204 } : { status: 200, body: toView(connection) };
    },

    "get-connection": async ({ actor: { userId }, params }) => {
      const connection = await deps.connections.get(userId, params.uid);
      return connection === undefined ? { status: 404 } : { status: 200, body: toView(connection) };
    },

    "list-connections": async ({ actor, body }) => {
      const { paging_state: cursor, size } = body;
      const after = cursor?.after;
      const { connections, hasMore } = await listConnections(deps, actor.userId, { after, size });
      return {
        body: {
          connections: connections.map(toView),
          has_more: hasMore,
          paging_state: cursorAfter(connections.at(-1)?.peerId ?? after),
        },
      };
    },
  };
}

/**
 * List a page of a user's connections in all states, in the order of the other users' ids.
 *
 * @param page.after id of the other user after whom the page starts
 * @see operations `list-connections`, `list-connections-v0`
 */
async function listConnections(
  { connections: store }: Deps,
  userId: string,
  { after, size }: { after?: string; size: number },
): Promise<{ connections: Connection[]; hasMore: boolean }> {
  const found = await store.list(userId, { after, limit: size + 1 });
  return { connections: found.slice(0, size), hasMore: found.length > size };
}

/**
 * Accept, ignore, cancel, block or unblock a connection.
 *
 * @returns the actor's side; undefined if it already has the status
 * @throws ApiError `invalid-user` for oneself, `not-connected`, `bad-conn-update`, `missing-legalhold-consent`,
 *   `connection-limit`
 * @throws RateLimitedError when the user has unblocked the other one too often in one day
 * @see operations `update-connection`, `update-connection-v0`
 */
async function updateConnection(
  deps: Deps,
  { actor, peerId, status }: { actor: Actor; peerId: string; status: ConnectionStatus },
): Promise<Connection | undefined> {
  if (peerId === actor.userId) throw new ApiError("invalid-user");
  return change<Connection | undefined>(deps, async () => {
    const { pair, own, peer, found, mls } = await readParties(deps, actor.userId, peerId);
    if (pair === undefined || own === undefined) throw new ApiError("not-connected");
    const next = decideUpdate({ own: pair.own.status, other: pair.other.status }, status);
    if (next === "refused") throw new ApiError("bad-conn-update");
    if (next === "unchanged") return { result: undefined };
    const users = peer === undefined ? [own] : [own, peer];
    const isOpening = next.own === "accepted" || next.own === "sent";
    if (isOpening && isConflict((await readLegalHoldStatuses(deps, users)).values()))
      throw new ApiError("missing-legalhold-consent");
    // If legal hold begins meanwhile, its settlement finds this connection, whatever its status is then.
    const isUnblocking = pair.own.status === "blocked";
    const charge = isUnblocking ? chargeOpening(deps, { userId: actor.userId, peerId }) : [];
    const transition = { actor, name: own.name, peerId, previous: pair, next, found, mls, charge };
    return connectionChange(deps, transition);
  }).catch(answer(ConnectionLimitError, "connection-limit"));
}
