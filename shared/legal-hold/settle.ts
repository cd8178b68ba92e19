import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import { isHeld } from "#shared/connections/connection.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { settleConnection } from "./settle-connection.ts";
import { settleGroup } from "./settle-group.ts";
import type { SettlementDeps } from "./settlement-deps.ts";

/** Connections whose users are read together. */
const connectionsAtATime = 100;

/**
 * Bring a user's connections, one-to-one conversations and groups in line with legal hold, as it is when each of them is
 * looked at. May be repeated, also while another one runs.
 *
 * @returns whether everything is in line; false when the time is up
 */
export async function settleLegalHold(
  deps: SettlementDeps,
  { userId }: { readonly userId: string },
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const account = await deps.accounts.get(userId);
  // A deleted user's connections and memberships go with the account.
  if (account === undefined || account.status === "deleted") return true;
  if (!(await settleConnections(deps, userId, isTimeUp))) return false;
  return account.legalHoldStatus !== "enabled" || settleGroups(deps, userId, isTimeUp);
}

/** Connections that are in line already cost no more than the read of their users. */
async function settleConnections(
  deps: SettlementDeps,
  userId: string,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  for await (const rows of chunksOfStream(deps.connections.ofUser(userId), connectionsAtATime)) {
    const accounts = await deps.accounts.getMany([userId, ...rows.map(({ peerId }) => peerId)]);
    const statuses = await readLegalHoldStatuses(deps, accounts);
    const isBetween = (peerId: string) =>
      isConflict([userId, peerId].map((id) => statuses.get(id) ?? "no_consent"));
    for (const row of rows.filter((one) => isBetween(one.peerId) !== isHeld(one))) {
      if (isTimeUp()) return false;
      await settleConnection(deps, { userId, peerId: row.peerId });
    }
  }
  return true;
}

async function settleGroups(deps: SettlementDeps, userId: string, isTimeUp: TimeLimit): Promise<boolean> {
  for await (const { conversationId } of deps.conversations.ofUser(userId)) {
    if (!(await settleGroup(deps, conversationId, isTimeUp))) return false;
  }
  return true;
}
