import type { Device } from "#shared/devices/device.ts";
import { devicesByUser, type Leaf, type Leaves } from "#shared/devices/mls/leaves.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { type CommitSubject, changesMembers } from "./commit-subject.ts";
import { protocolError } from "./protocol-error.ts";
import { type Addition, checkRegistered } from "./verify.ts";

/**
 * Users whose devices a commit removes, which have to be all that they have in the group. Those that the service has
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
 * Check the devices that a commit adds. Of a user who is new to the group, all that hold key packages have to be among
 * them; with the first commit, this includes the creator.
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

  const addedByUser = Map.groupBy<string, Leaf>(
    [...(isFirst ? [own] : []), ...added],
    ({ userId }) => userId,
  );
  const found = await deps.devices.getMany([...addedByUser.keys()]);
  const existing = new Map(found.map(({ userId, devices }) => [userId, devices]));
  const deviceOf = ({ userId, clientId }: Leaf): Device | undefined => {
    const devices = existing.get(userId) ?? {};
    return Object.hasOwn(devices, clientId) ? devices[clientId] : undefined;
  };
  if (!added.every((leaf) => deviceOf(leaf) !== undefined)) throw new ApiError("mls-client-mismatch");

  const omitted = [...addedByUser].flatMap(([userId, devices]) => {
    const isNew = isFirst || !present.has(userId);
    const named = new Set(devices.map(({ clientId }) => clientId));
    return isNew && isComplete
      ? Object.keys(existing.get(userId) ?? {})
          .filter((clientId) => !named.has(clientId))
          .map((clientId) => ({ userId, clientId, suite: subject.suiteNumber }))
      : [];
  });
  const counts = await Promise.all(omitted.map((pool) => deps.keyPackages.count(pool)));
  if (counts.some((count) => count > 0)) throw new ApiError("mls-client-mismatch");

  for (const leaf of added) {
    const device = deviceOf(leaf);
    if (device !== undefined) checkRegistered(leaf.leafNode, device, subject.suite.signatureScheme);
  }
}

/** @throws ApiError `mls-protocol-error` */
function checkDistinct(added: readonly Leaf[], present: ReadonlyMap<string, readonly string[]>): void {
  const names = new Set(added.map(({ userId, clientId }) => `${userId}:${clientId}`));
  const isPresent = ({ userId, clientId }: Leaf) => present.get(userId)?.includes(clientId) ?? false;
  if (names.size < added.length || added.some(isPresent))
    throw protocolError("A commit adds a device that is in the group");
}
