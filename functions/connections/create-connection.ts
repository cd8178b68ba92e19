import { type Account, isActivated } from "#shared/data/account/account.ts";
import { retryStale, StaleReadError, type Write } from "#shared/data/conditions.ts";
import type { Connection } from "#shared/data/connection/connection.ts";
import { ApiError } from "#shared/errors.ts";
import { isLocalDomain } from "#shared/http/local-domain.ts";
import type { Actor } from "#shared/http/route.ts";
import { commitChange } from "./commit-change.ts";
import type { Deps } from "./deps.ts";
import { readParties } from "./parties.ts";
import { decideRequest, firstRequest } from "./transitions.ts";

/**
 * Ask a user for a connection. Where that one has asked already, both are connected.
 *
 * @throws ApiError as the route lists, in the order of spec heading Create
 * @see operations `create-connection`, `create-connection-v0`
 */
export async function createConnection(
  deps: Deps,
  { actor, peer }: { actor: Actor; peer: { domain: string; id: string } },
): Promise<{ connection: Connection; isNew: boolean }> {
  const { userId } = actor;
  if (!isLocalDomain(peer.domain, deps.settings)) return refuseRemote(deps, userId);
  if (peer.id === userId) throw new ApiError("invalid-user");
  return retryStale(async () => {
    const parties = await readParties(deps, userId, peer.id);
    const { pair, own } = parties;
    if (!canConnect(own)) throw new ApiError("no-identity");
    if (!canConnect(parties.peer)) throw new ApiError("invalid-user");
    if (own.teamId !== undefined && own.teamId === parties.peer.teamId)
      throw new ApiError("same-binding-team-users");
    const change = { actor, name: own.name, peerId: peer.id, previous: pair };
    if (pair === undefined) {
      const conditions = [userId, peer.id].map((id) => requireNotDeleted(deps, id));
      return {
        connection: await commitChange(deps, { ...change, next: firstRequest, conditions }),
        isNew: true,
      };
    }
    const next = decideRequest({ own: pair.own.status, other: pair.other.status });
    if (next === "refused") throw new ApiError("bad-conn-update");
    const connection = next === "unchanged" ? pair.own : await commitChange(deps, { ...change, next });
    return { connection, isNew: false };
  });
}

/** @throws ApiError `no-identity`, which comes first, `federation-not-enabled` */
async function refuseRemote({ accounts }: Deps, userId: string): Promise<never> {
  throw new ApiError(canConnect(await accounts.get(userId)) ? "federation-not-enabled" : "no-identity");
}

/** Whether the account has been activated and is not deleted; suspension passes. */
const canConnect = (account: Account | undefined): account is Account =>
  account !== undefined &&
  (account.status === "active" || account.status === "suspended") &&
  isActivated(account);

/** An account that is deleted in between is found so by the next attempt. */
const requireNotDeleted = ({ accounts }: Deps, userId: string): Write => ({
  ...accounts.requireNotDeleted(userId),
  onRejected: () => new StaleReadError(`account ${userId}`),
});
