import { retryStale } from "#shared/data/conditions.ts";
import type { Connection, ConnectionStatus } from "#shared/data/connection/connection.ts";
import { ApiError } from "#shared/errors.ts";
import type { Actor } from "#shared/http/route.ts";
import { commitChange } from "./commit-change.ts";
import type { Deps } from "./deps.ts";
import { readParties } from "./parties.ts";
import { decideUpdate } from "./transitions.ts";

/**
 * Accept, ignore, cancel, block or unblock.
 *
 * @returns the own side; undefined when it has the status already
 * @throws ApiError `invalid-user` for oneself, `not-connected`, `bad-conn-update`, `connection-limit`
 * @see operations `update-connection`, `update-connection-v0`
 */
export async function updateConnection(
  deps: Deps,
  { actor, peerId, status }: { actor: Actor; peerId: string; status: ConnectionStatus },
): Promise<Connection | undefined> {
  if (peerId === actor.userId) throw new ApiError("invalid-user");
  return retryStale(async () => {
    const { pair, own } = await readParties(deps, actor.userId, peerId);
    if (pair === undefined || own === undefined) throw new ApiError("not-connected");
    const next = decideUpdate({ own: pair.own.status, other: pair.other.status }, status);
    if (next === "refused") throw new ApiError("bad-conn-update");
    if (next === "unchanged") return undefined;
    return commitChange(deps, { actor, name: own.name, peerId, previous: pair, next });
  });
}
