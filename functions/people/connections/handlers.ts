import type { Connection } from "#shared/conversations/connections/connection.ts";
import { toConnectionView } from "#shared/conversations/connections/connection-view.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { cursorAfter } from "./connection-cursor.ts";
import { createConnection } from "./create-connection.ts";
import type { Deps } from "./deps.ts";
import { listConnections } from "./list-connections.ts";
import type { routes } from "./routes.ts";
import { updateConnection } from "./update-connection.ts";

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
