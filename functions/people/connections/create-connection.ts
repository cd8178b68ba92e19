import { type Account, isActivated } from "#shared/accounts/account.ts";
import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import type { Connection } from "#shared/conversations/connections/connection.ts";
import { ConnectionLimitError } from "#shared/conversations/connections/connection-store.ts";
import { readParties } from "#shared/conversations/connections/parties.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { chargeOpening, connectionChange } from "./connection-change.ts";
import type { Deps } from "./deps.ts";
import { decideRequest, firstRequest } from "./transitions.ts";

/**
 * Send a connection request to a user. If that user has already sent one, the two are connected.
 *
 * @param name of the conversation that the request creates
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @throws RateLimitedError when the user has spent the daily budget for requests
 * @see operations `create-connection`, `create-connection-v0`
 */
export async function createConnection(
  deps: Deps,
  { actor, peer, name }: { actor: Actor; peer: { domain: string; id: string }; name?: string },
): Promise<{ connection: Connection; isNew: boolean }> {
  const { userId } = actor;
  if (!isLocalDomain(peer.domain, deps.settings)) return refuseRemote(deps, userId);
  if (peer.id === userId) throw new ApiError("invalid-user");
  return change(deps, async () => {
    const parties = await readParties(deps, userId, peer.id);
    const { pair, own, found, mls } = parties;
    if (!canConnect(own)) throw new ApiError("no-identity");
    if (!canConnect(parties.peer)) throw new ApiError("invalid-user");
    const users = [own, parties.peer];
    if (isConflict((await readLegalHoldStatuses(deps, users)).values()))
      throw new ApiError("missing-legalhold-consent");
    if (own.teamId !== undefined && own.teamId === parties.peer.teamId)
      throw new ApiError("same-binding-team-users");
    const transition = {
      actor,
      name: own.name,
      peerId: peer.id,
      previous: pair,
      found,
      mls,
      request: { name },
    };
    if (pair === undefined) {
      // When legal hold begins meanwhile, its settlement finds existing connections, but not this one.
      const conditions = users.map((account) => deps.accounts.requireSameLegalHold(account));
      const charge = chargeOpening(deps, { userId, peerId: peer.id, isFirst: true });
      const first = connectionChange(deps, { ...transition, next: firstRequest, conditions, charge });
      return { ...first, result: { connection: first.result, isNew: true } };
    }
    const next = decideRequest({ own: pair.own.status, other: pair.other.status });
    if (next === "refused") throw new ApiError("bad-conn-update");
    if (next === "unchanged") return { result: { connection: pair.own, isNew: false } };
    const isAsking = next.own === "sent" && pair.own.status !== "sent";
    const charge = isAsking ? chargeOpening(deps, { userId, peerId: peer.id }) : [];
    const effects = connectionChange(deps, { ...transition, next, charge });
    return { ...effects, result: { connection: effects.result, isNew: false } };
  }).catch(answer(ConnectionLimitError, "connection-limit"));
}

/** @throws ApiError `no-identity`, which takes precedence; `federation-not-enabled` */
async function refuseRemote({ accounts }: Deps, userId: string): Promise<never> {
  throw new ApiError(canConnect(await accounts.get(userId)) ? "federation-not-enabled" : "no-identity");
}

/** Whether the account has been activated and is not deleted; it may be suspended. */
const canConnect = (account: Account | undefined): account is Account =>
  account !== undefined &&
  (account.status === "active" || account.status === "suspended") &&
  isActivated(account);
