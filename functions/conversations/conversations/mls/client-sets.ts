import { isMls } from "#shared/conversations/conversation.ts";
import { isBot } from "#shared/conversations/conversation-member.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { type Devices, findDevice } from "#shared/devices/device.ts";
import { devicesByUser, type Leaf, type Leaves, leafOf } from "#shared/devices/mls/leaves.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { type CommitSubject, changesMembers } from "./commit-subject.ts";
import { protocolError } from "./protocol-error.ts";
import { type Addition, checkRegistered, hasRegisteredKey } from "./verify.ts";

/**
 * Users whose devices a commit removes; it has to remove all their devices in the group. Devices that the service has
 * proposed to remove do not count, so that anybody may commit its proposals.
 *
 * @throws ApiError `mls-self-removal-not-allowed`, `mls-client-mismatch`
 */
export function usersRemoved(leaves: Leaves, removed: ReadonlySet<number>, ownId: string): string[] {
  const gone = devicesByUser(new Map([...leaves].filter(([index]) => removed.has(index))));
  if (gone.has(ownId)) throw new ApiError("mls-self-removal-not-allowed");
  const present = devicesByUser(leaves);
  for (const [userId, devices] of gone)
    if (devices.length < (present.get(userId)?.length ?? 0)) throw new ApiError("mls-client-mismatch");
  return [...gone.keys()];
}

/**
 * Check the devices that a commit adds. All devices with key packages of a user who is new to the group have to be
 * among them; in the first commit, this includes the creator. Where commits do not change the members, only devices of
 * members may be added.
 *
 * @throws ApiError `mls-protocol-error`, `mls-client-mismatch`, `mls-identity-mismatch`
 */
export async function checkAdditions(
  deps: Pick<Deps, "devices" | "keyPackages">,
  subject: CommitSubject,
  { leaves, removed, added }: { leaves: Leaves; removed: ReadonlySet<number>; added: readonly Addition[] },
): Promise<void> {
  const { device: own, group } = subject;
  const isFirst = group === undefined;
  const isComplete = changesMembers(subject);
  if (added.length === 0 && !(isFirst && isComplete)) return;
  const present = devicesByUser(new Map([...leaves].filter(([index]) => !removed.has(index))));
  checkDistinct(added, present);
  if (!added.every((leaf) => mayBeAdded(subject, leaf))) throw new ApiError("mls-client-mismatch");

  const addedByUser = Map.groupBy<string, Leaf>(
    [...(isFirst ? [own] : []), ...added],
    ({ userId }) => userId,
  );
  const found = await deps.devices.getMany([...addedByUser.keys()]);
  const existing = new Map(found.map((devices) => [devices.userId, devices]));
  if (!added.every((leaf) => deviceOf(existing, leaf) !== undefined))
    throw new ApiError("mls-client-mismatch");

  const omitted = [...addedByUser].flatMap(([userId, devices]) => {
    const isNew = isFirst || !present.has(userId);
    const named = new Set(devices.map(({ clientId }) => clientId));
    return isNew && isComplete
      ? Object.keys(existing.get(userId)?.devices ?? {})
          .filter((clientId) => !named.has(clientId))
          .map((clientId) => ({ userId, clientId, suite: subject.suiteNumber }))
      : [];
  });
  const counts = await Promise.all(omitted.map((pool) => deps.keyPackages.count(pool)));
  if (counts.some((count) => count > 0)) throw new ApiError("mls-client-mismatch");

  for (const leaf of added) {
    const device = deviceOf(existing, leaf);
    if (device !== undefined) checkRegistered(leaf.leafNode, device, subject.suite.signatureScheme);
  }
}

const deviceOf = (existing: ReadonlyMap<string, Devices>, { userId, clientId }: Leaf) => {
  const devices = existing.get(userId);
  return devices && findDevice(devices, clientId);
};

/** Where members change by other operations, a commit may not choose its recipients. */
const mayBeAdded = (
  { conversation, members }: Pick<PopulatedConversation, "conversation" | "members">,
  { userId }: Leaf,
): boolean => isMls(conversation) || members.some((member) => member.userId === userId && !isBot(member));

/** The data that decide whether a commit may add a device. */
type AdditionSubject = Pick<CommitSubject, "conversation" | "members" | "suite"> & {
  readonly leaves: Leaves;
};

/**
 * The reason why no commit by anybody may add a device; undefined if there is none. A proposal to add it would keep
 * everybody from committing.
 *
 * @param owner devices of its user
 */
export function additionRefusal(
  subject: AdditionSubject,
  added: Addition,
  owner: Devices,
): ApiError | undefined {
  if (leafOf(subject.leaves, added) !== undefined) return protocolError("The device is in the group");
  if (!mayBeAdded(subject, added)) return protocolError("The user is not a member of the conversation");
  const device = findDevice(owner, added.clientId);
  if (device === undefined) return protocolError("The user has no such device");
  return hasRegisteredKey(added.leafNode, device, subject.suite.signatureScheme)
    ? undefined
    : new ApiError("mls-identity-mismatch", {
        message: "The signature key is not the one that the device has registered",
      });
}

/** @throws ApiError `mls-protocol-error` */
function checkDistinct(added: readonly Leaf[], present: ReadonlyMap<string, readonly string[]>): void {
  const names = new Set(added.map(({ userId, clientId }) => `${userId}:${clientId}`));
  const isPresent = ({ userId, clientId }: Leaf) => present.get(userId)?.includes(clientId) ?? false;
  if (names.size < added.length || added.some(isPresent))
    throw protocolError("A commit adds a device that is in the group");
}
