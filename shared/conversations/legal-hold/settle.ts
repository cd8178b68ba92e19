import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import { isHeld } from "#shared/conversations/connections/connection.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { type SettlementDeps, settleConnection } from "./settle-connection.ts";
import { settleGroup } from "./settle-group.ts";

/** Connections whose users are read together, and groups listed together. */
const pageSize = 100;

/**
 * Where a settlement continues after it ran out of time. Only groups are skipped, because settled connections cost
 * little.
 */
interface Rest {
  /** The last settled group. */
  readonly afterGroup?: string | undefined;
}

/**
 * Bring a user's connections, one-to-one conversations and groups in line with legal hold, by the state at the time of
 * each check. May be repeated, even while another run is under way. A failure does not delay the others.
 *
 * @returns what is left when time ran out; undefined when everything is settled
 * @throws AggregateError when some could not be settled
 */
export async function settleLegalHold(
  deps: SettlementDeps,
  { userId, ...rest }: { readonly userId: string } & Rest,
  isTimeUp: TimeLimit,
): Promise<Rest | undefined> {
  const account = await deps.accounts.get(userId);
  // A deleted user's connections and memberships go with the account.
  if (account === undefined || account.status === "deleted") return undefined;
  if (!(await settleConnections(deps, userId, isTimeUp))) return rest;
  return account.legalHoldStatus === "enabled"
    ? settleGroups(deps, { userId, ...rest }, isTimeUp)
    : undefined;
}

/**
 * Bring a user's connections and one-to-one conversations in line; see `settleLegalHold`. Settled ones cost only the
 * read of their users.
 *
 * @returns false when time ran out
 */
export async function settleConnections(
  deps: SettlementDeps,
  userId: string,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const failures = new Failures("connections");
  for await (const rows of chunksOfStream(deps.connections.ofUser(userId), pageSize)) {
    if (isTimeUp()) return failures.throwOr(false);
    const accounts = await deps.accounts.getMany([userId, ...rows.map(({ peerId }) => peerId)]);
    const statuses = await readLegalHoldStatuses(deps, accounts);
    const isBetween = (peerId: string) =>
      isConflict([userId, peerId].map((id) => statuses.get(id) ?? "no_consent"));
    for (const { peerId } of rows.filter((one) => isBetween(one.peerId) !== isHeld(one))) {
      if (isTimeUp()) return failures.throwOr(false);
      await failures.collect(settleConnection(deps, { userId, peerId }));
    }
  }
  return failures.throwOr(true);
}

async function settleGroups(
  deps: SettlementDeps,
  { userId, afterGroup }: { readonly userId: string } & Rest,
  isTimeUp: TimeLimit,
): Promise<Rest | undefined> {
  const failures = new Failures("groups");
  let after = afterGroup;
  for (;;) {
    const entries = await deps.conversations.listOfUser(userId, { after, limit: pageSize });
    for (const { conversationId } of entries) {
      const isLeft =
        isTimeUp() || (await failures.collect(settleGroup(deps, conversationId, isTimeUp))) === false;
      if (isLeft) return failures.throwOr({ afterGroup: after });
      after = conversationId;
    }
    if (entries.length < pageSize) return failures.throwOr(undefined);
  }
}
