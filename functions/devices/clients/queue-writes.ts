import type { Device } from "#shared/devices/device.ts";
import { streams } from "#shared/events/notification.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { Deps } from "./deps.ts";

/** Writes that create the queue of a device for `/events`, if its capabilities ask for one. */
export async function queueWrites(
  { notifications, sockets }: Deps,
  userId: string,
  clientId: string,
  capabilities: Device["capabilities"] = [],
): Promise<Write[]> {
  if (!capabilities.includes("consumable-notifications")) return [];
  const endOfStream = await notifications.endOf(streams.device(userId, clientId));
  return sockets.queueCreation(userId, clientId, endOfStream);
}
