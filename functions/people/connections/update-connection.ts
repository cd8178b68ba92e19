import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import type { Connection, ConnectionStatus } from "#shared/conversations/connections/connection.ts";
import { ConnectionLimitError } from "#shared/conversations/connections/connection-store.ts";
import { readParties } from "#shared/conversations/connections/parties.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { chargeOpening } from "./charge-opening.ts";
import { connectionChange } from "./connection-change.ts";
import type { Deps } from "./deps.ts";
import { decideUpdate } from "./transitions.ts";

/**
 * Accept, ignore, cancel, block or unblock a connection.
 *
 * @returns the actor's side; undefined if it already has the status
 * @throws ApiError `invalid-user` for oneself, `not-connected`, `bad-conn-update`, `missing-legalhold-consent`,
 *   `connection-limit`
 * @throws RateLimitedError when the user has unblocked the other one too often in one day
 * @see operations `update-connection`, `update-connection-v0`
 */
export async function updateConnection(
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
