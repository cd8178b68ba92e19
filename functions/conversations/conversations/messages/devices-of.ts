import type { Deps } from "../deps.ts";

/** More users than these are not read before it is known that they are recipients: a body can name anybody. */
export const maxGuessedUsers = 500;

/** Ids of the devices that users have, by user; users without devices have an empty list. */
export type DeviceIds = ReadonlyMap<string, readonly string[]>;

/** Read the devices of users, of whom some may have been read already. */
export async function devicesOf(
  { devices }: Pick<Deps, "devices">,
  userIds: Iterable<string>,
  known: DeviceIds = new Map(),
): Promise<DeviceIds> {
  const wanted = [...new Set(userIds)];
  const unread = wanted.filter((userId) => !known.has(userId));
  const read = unread.length === 0 ? [] : await devices.getMany(unread);
  const found = new Map(read.map(({ userId, devices: ofUser }) => [userId, Object.keys(ofUser)]));
  return new Map(wanted.map((userId) => [userId, known.get(userId) ?? found.get(userId) ?? []]));
}
