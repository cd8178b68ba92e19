import type * as z from "zod";
import type { erasureOrder } from "#shared/accounts/delete-account.ts";
import { userDelete } from "#shared/accounts/events/user-delete.ts";
import { codesToUser } from "#shared/accounts/second-factor/codes-to-user.ts";
import type { Connection } from "#shared/connections/connection.ts";
import { toConnectionView } from "#shared/connections/connection-view.ts";
import { userConnection } from "#shared/connections/user-connection.ts";
import { removeDevice } from "#shared/devices/remove-device.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { Deps } from "./deps.ts";

/**
 * Remove what belonged to a deleted account, and notify those who were connected to it. Each step may be repeated, and
 * a repetition continues where the previous run stopped.
 */
export async function eraseAccount(
  deps: Deps,
  { userId, activationKeys }: z.output<typeof erasureOrder>,
): Promise<void> {
  const { codes, connections, devices, grants, properties, richInfo, verificationCodes } = deps;
  for await (const { peerId } of connections.ofUser(userId)) await disconnect(deps, userId, peerId);
  for (const clientId of Object.keys((await devices.get(userId)).devices)) {
    await removeDevice(deps, { userId, clientId });
  }
  await transact(deps.dynamo, [connections.removeCounter(userId), devices.removeRecord(userId)]);
  const codesOfUser = await codesToUser(verificationCodes, userId);
  await Promise.all([
    grants.removeAll(userId),
    properties.removeAll(userId),
    richInfo.remove(userId),
    ...codesOfUser.map(({ purpose, key }) => codes.remove(purpose, key)),
    ...activationKeys.map((key) => codes.endActivation(key, userId)),
  ]);
}

async function disconnect(deps: Deps, userId: string, peerId: string): Promise<void> {
  const { connections } = deps;
  await change(deps, async () => {
    const pair = await connections.getPair(userId, peerId);
    if (pair === undefined) return undefined;
    return { writes: connections.removeBoth(pair), messages: announce(deps, pair) };
  });
}

/** Contacts learn of the deletion; users with a pending request, sent or received, learn that it is cancelled. */
function announce(
  { clock, events, settings }: Deps,
  { own, other }: { own: Connection; other: Connection },
): OutboxMessage[] {
  const { domain } = settings;
  const { userId, peerId } = own;
  const peer = { userId: peerId, group: userId };
  if (own.status === "accepted") {
    return events.toUser(peer, userDelete, { id: userId, qualified_id: { domain, id: userId } });
  }
  if (other.status !== "sent" && other.status !== "pending") return [];
  const cancelled = { ...other, status: "cancelled" as const, updatedAt: clock() };
  return events.toUser(peer, userConnection, { connection: toConnectionView(cancelled, domain) });
}
