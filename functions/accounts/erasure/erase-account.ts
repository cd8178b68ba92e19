import { type ErasureOrder, orderErasure, orderErasureOfFiles } from "#shared/accounts/erasure-order.ts";
import { userDelete } from "#shared/accounts/events.ts";
import { codesToUser } from "#shared/accounts/second-factor/codes-to-user.ts";
import { isOwner, removalOf } from "#shared/assets/asset.ts";
import { parseAssetKey } from "#shared/assets/asset-key.ts";
import { removeAsset } from "#shared/assets/remove-asset.ts";
import type { Connection } from "#shared/conversations/connections/connection.ts";
import { toConnectionView, userConnection } from "#shared/conversations/connections/connection-view.ts";
import { mlsOneToOneConversationId, oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { removeDevice } from "#shared/devices/remove-device.ts";
import { streams } from "#shared/events/notification.ts";
import { removePushTokens } from "#shared/events/push/remove-push-tokens.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import type { OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Deps } from "./deps.ts";
import { departureOf, leaveConversations } from "./leave-conversations.ts";

/** Remove the device of a deleted bot. Nobody has to be told. May be repeated. */
export async function eraseBot(
  { devices, dynamo, prekeys }: Pick<Deps, "devices" | "dynamo" | "prekeys">,
  { userId }: ErasureOrder,
): Promise<void> {
  for (const clientId of Object.keys((await devices.get(userId)).devices))
    await transact(dynamo, await prekeys.removeAll(userId, clientId));
  await transact(dynamo, [devices.removeRecord(userId)]);
}

/**
 * Remove what belonged to a deleted account, and notify those who were connected to it. Each step may be repeated, and
 * continues where the previous run stopped. What cannot be removed does not delay the rest.
 */
export async function eraseAccount(deps: Deps, order: ErasureOrder, isTimeUp: TimeLimit): Promise<void> {
  const { userId, files, isSecondLook = false } = order;
  if (files !== undefined) return goOnWithFiles(deps, order, isTimeUp);
  const clientIds = [...new Set([...(order.clientIds ?? []), ...(await clientIdsOf(deps, userId))])];
  const [leaving] = await Promise.allSettled([leaveConversations(deps, order, isTimeUp)]);
  if (leaving.status === "fulfilled" && !leaving.value) return goOn(deps, { ...order, clientIds });
  const isRestGone = isSecondLook
    ? await eraseLog(deps, { userId, clientIds }, isTimeUp)
    : await eraseRest(deps, order, isTimeUp);
  if (leaving.status === "rejected") throw leaving.reason;
  if (!isRestGone) return goOn(deps, { ...order, clientIds });
  if (isSecondLook) return goOnWithFiles(deps, order, isTimeUp);
  await goOn(deps, { userId, activationKeys: [], assetKeys: [], clientIds, isSecondLook: true });
}

/** The least time between two looks at the files of an account. */
const dayMilliseconds = 86_400_000;

/** Remove files that are due. Others are looked at again when they are. */
async function goOnWithFiles(deps: Deps, order: ErasureOrder, isTimeUp: TimeLimit): Promise<void> {
  const { clock, outbox } = deps;
  const { userId } = order;
  const files = await eraseFiles(deps, order, isTimeUp);
  const { after, nextAt } = files;
  if (after !== undefined) {
    await change(deps, async () => ({ messages: [orderErasureOfFiles(outbox, { userId, files })] }));
  } else if (nextAt !== undefined) {
    const time = Math.max(nextAt, clock() + dayMilliseconds);
    const next = orderErasureOfFiles(outbox, { userId, files: {}, time });
    await change(deps, async () => ({ messages: [next] }));
  }
}

const clientIdsOf = async ({ devices }: Deps, userId: string): Promise<string[]> =>
  Object.keys((await devices.get(userId)).devices);

/**
 * Remove the account's notifications, which contain its address, number and handle. By the second look, its sockets
 * have received the last ones.
 * @returns false when time ran out
 */
async function eraseLog(
  { notifications }: Deps,
  { userId, clientIds }: { readonly userId: string; readonly clientIds: readonly string[] },
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const queues = clientIds.map((clientId) => streams.device(userId, clientId));
  for (const stream of [streams.user(userId), ...queues])
    if (!(await notifications.removeStream(stream, isTimeUp))) return false;
  return true;
}

/** @returns false when time ran out */
async function eraseRest(
  deps: Deps,
  { userId, activationKeys, assetKeys, invited }: ErasureOrder,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const { allocatedDevices, codes, connections, devices, grants, properties, pushTokens, richInfo } = deps;
  const failures = new Failures("parts of the account");
  for await (const { peerId } of connections.ofUser(userId)) {
    if (isTimeUp()) return failures.throwOr(false);
    await failures.collect(disconnect(deps, userId, peerId));
  }
  for (const assetKey of assetKeys) await failures.collect(removePicture(deps, userId, assetKey));
  if (invited !== undefined) await failures.collect(withdrawInvitations(deps, invited));
  for (const clientId of await clientIdsOf(deps, userId)) {
    await failures.collect(removeDevice(deps, { userId, clientId, isOfDeletedUser: true }));
  }
  await failures.collect(removePushTokens(deps, userId, () => true));
  if (failures.isEmpty) {
    // Removed last, because a repetition finds by them what is left.
    const records = [
      connections.removeCounter(userId),
      devices.removeRecord(userId),
      allocatedDevices.removeRecord(userId),
      ...pushTokens.removeRecords(userId),
    ];
    await failures.collect(transact(deps.dynamo, records));
  }
  await failures.collectAll([
    grants.removeAll(userId),
    properties.removeAll(userId),
    richInfo.remove(userId),
    removeCodes(deps, userId),
    ...activationKeys.map((key) => codes.endActivation(key, userId)),
  ]);
  return failures.throwOr(true);
}

/** Withdraw invitations to addresses of the account, except those sent after its deletion. */
async function withdrawInvitations(
  deps: Deps,
  { addressKeys, before }: NonNullable<ErasureOrder["invited"]>,
): Promise<void> {
  const { invitations } = deps;
  for (const addressKey of addressKeys)
    for await (const key of invitations.ofAddress(addressKey)) {
      await change(deps, async () => {
        const invitation = await invitations.get(key);
        if (invitation === undefined || invitation.createdAt >= before) return undefined;
        return { writes: invitations.withdraw(invitation, await invitations.readState(invitation)) };
      });
    }
}

async function removeCodes({ codes, verificationCodes }: Deps, userId: string): Promise<void> {
  const codesOfUser = await codesToUser(verificationCodes, userId);
  await Promise.all(codesOfUser.map(({ purpose, key }) => codes.remove(purpose, key)));
}

/** Remove a profile picture if its user uploaded it. What the user sent to others stays. */
async function removePicture(deps: Deps, userId: string, assetKey: string): Promise<void> {
  const key = parseAssetKey(assetKey);
  const asset = key && (await deps.assets.get(key.text));
  if (key === undefined || asset === undefined || !isOwner(asset, { kind: "user", id: userId })) return;
  await removeAsset(deps, key, asset);
}

const goOn = (deps: Deps, order: ErasureOrder): Promise<void> =>
  change(deps, async () => ({ messages: [orderErasure(deps.outbox, order)] }));

async function disconnect(deps: Deps, userId: string, peerId: string): Promise<void> {
  await change(deps, async () => {
    const { pair, found, mls } = await readPair(deps, userId, peerId);
    if (pair === undefined) return undefined;
    // Until the connection is removed, its users may still change who is in their conversation.
    const departure = found && departureOf(deps, userId, found);
    const mlsDeparture = mls && departureOf(deps, userId, mls);
    const disconnected = { writes: deps.connections.removeBoth(pair), messages: announce(deps, pair) };
    return combine(disconnected, { writes: departure?.writes }, mlsDeparture);
  });
}

/** Read both sides of a connection, and the conversations of the two users. */
async function readPair({ connections, conversations, settings }: Deps, userId: string, peerId: string) {
  const conversationId = oneToOneConversationId(userId, peerId);
  const mlsId = mlsOneToOneConversationId(userId, peerId, settings.domain);
  const users = [userId, peerId];
  const [pair, found, mls] = await Promise.all([
    connections.getPair(userId, peerId),
    conversations.getPopulatedBy(conversationId, users),
    conversations.getPopulatedBy(mlsId, users),
  ]);
  return { pair, found, mls };
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

/** What is left after a run; without `after`, all files were seen. */
type Rest = NonNullable<ErasureOrder["files"]>;

/** Remove the files of a deleted account that nobody else has read, or will read, from a place in their list on. */
async function eraseFiles(
  deps: Deps,
  { userId, files = {} }: Pick<ErasureOrder, "userId" | "files">,
  isTimeUp: TimeLimit,
): Promise<Rest> {
  const { assets, clock } = deps;
  const failures = new Failures("files");
  let { after, nextAt = Number.POSITIVE_INFINITY } = files;
  const rest = () => ({ ...(after !== undefined && { after }), ...(Number.isFinite(nextAt) && { nextAt }) });
  for await (const page of assets.ofOwner(userId, after)) {
    if (isTimeUp()) return failures.throwOr(rest());
    const now = clock();
    const own = page.filter((asset) => isOwner(asset, { kind: "user", id: userId }));
    const due = own.filter((asset) => (removalOf(asset) ?? Number.POSITIVE_INFINITY) <= now);
    await failures.collectAll(
      due.map(async (asset) => {
        const key = parseAssetKey(asset.assetKey);
        if (key !== undefined) await removeAsset(deps, key, asset);
      }),
    );
    for (const asset of own) {
      const at = removalOf(asset) ?? Number.POSITIVE_INFINITY;
      if (at > now) nextAt = Math.min(nextAt, at);
    }
    after = page.at(-1)?.assetKey ?? after;
  }
  after = undefined;
  return failures.throwOr(rest());
}
