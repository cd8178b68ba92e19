import { hasLegalHoldDevice } from "#shared/devices/device.ts";
import type { DeviceStore } from "#shared/devices/device-store.ts";

/** A body can name anybody, so beyond this number, users are read only once they are known to be recipients. */
export const maxGuessedUsers = 500;

/** Ids of the devices that users have, by user; users without devices have an empty list. */
export type DeviceIds = ReadonlyMap<string, readonly string[]>;

/** The data that were read about users' devices. */
interface KnownDevices {
  readonly ids: DeviceIds;
  /** Users with a legal hold device. */
  readonly underHold: ReadonlySet<string>;
}

const nobody: KnownDevices = { ids: new Map(), underHold: new Set() };

/** Read the devices of users, except those that have been read already. */
export async function devicesOf(
  { devices }: { readonly devices: DeviceStore },
  userIds: Iterable<string>,
  known: KnownDevices = nobody,
): Promise<KnownDevices> {
  const wanted = [...new Set(userIds)];
  const unread = wanted.filter((userId) => !known.ids.has(userId));
  const read = unread.length === 0 ? [] : await devices.getMany(unread);
  const found = new Map(read.map(({ userId, devices: ofUser }) => [userId, Object.keys(ofUser)]));
  const underHold = read.filter(hasLegalHoldDevice).map(({ userId }) => userId);
  return {
    ids: new Map(wanted.map((userId) => [userId, known.ids.get(userId) ?? found.get(userId) ?? []])),
    underHold: new Set([...known.underHold, ...underHold]),
  };
}
