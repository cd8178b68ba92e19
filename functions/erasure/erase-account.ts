import type * as z from "zod";
import { codesToUser } from "#shared/auth/codes-to-user.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import type { Connection } from "#shared/data/connection/connection.ts";
import { removeDevice } from "#shared/devices/remove-device.ts";
import type { erasureOrder } from "#shared/erasure/delete-account.ts";
import { userConnection } from "#shared/events/user-connection.ts";
import { userDelete } from "#shared/events/user-delete.ts";
import { commitWithMessages } from "#shared/messaging/commit-with-messages.ts";
import type { StagedMessage } from "#shared/messaging/outbox.ts";
import { toConnectionView } from "#shared/schemas/connection.ts";
import type { Deps } from "./deps.ts";

/**
 * Remove what belonged to a deleted account, and tell those who were connected to it. Each step may be repeated, and a
 * repetition goes on where the one before stopped.
 */
export async function eraseAccount(
  deps: Deps,
  { userId, activationKeys }: z.output<typeof erasureOrder>,
): Promise<void> {
  const { codes, connections, devices, grants, properties, richInfo, verificationCodes } = deps;
  for await (const { peerId } of connections.ofUser(userId)) await disconnect(deps, userId, peerId);
  await transact(deps.client, [connections.removeCounter(userId)]);
  for (const clientId of Object.keys((await devices.get(userId)).devices)) {
    await removeDevice(deps, { userId, clientId });
  }
  const codesOfUser = await codesToUser(verificationCodes, userId);
  await Promise.all([
    grants.removeAll(userId),
    properties.removeAll(userId),
    richInfo.remove(userId),
    ...codesOfUser.map(({ purpose, key }) => codes.remove(purpose, key)),
    ...activationKeys.map((key) => codes.end("activation", key, userId)),
  ]);
}

async function disconnect(deps: Deps, userId: string, peerId: string): Promise<void> {
  const { client, connections } = deps;
  await retryStale(async () => {
    const pair = await connections.getPair(userId, peerId);
    if (pair === undefined) return;
    await commitWithMessages(client, connections.removeBoth(pair), announce(deps, pair));
  });
}

/** Contacts learn of the deletion; who had asked, or was asked, that the request is off. */
function announce(
  { clock, events, settings }: Deps,
  { own, other }: { own: Connection; other: Connection },
): StagedMessage[] {
  const { domain } = settings;
  const { userId, peerId } = own;
  const to = { sender: userId, recipients: [{ userId: peerId }] };
  if (own.status === "accepted") {
    return events.stage(userDelete, { id: userId, qualified_id: { domain, id: userId } }, to);
  }
  if (other.status !== "sent" && other.status !== "pending") return [];
  const cancelled = { ...other, status: "cancelled" as const, updatedAt: clock() };
  return events.stage(userConnection, { connection: toConnectionView(cancelled, domain) }, to);
}
