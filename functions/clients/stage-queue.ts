import type { Write } from "#shared/data/conditions.ts";
import type { Device } from "#shared/data/device/device.ts";
import { streams } from "#shared/data/notification/notification.ts";
import type { Deps } from "./deps.ts";

/** The write that gives a device its queue for `/events`, when its capabilities ask for one. */
export async function stageQueue(
  { notifications, sockets }: Deps,
  userId: string,
  clientId: string,
  capabilities: Device["capabilities"] = [],
): Promise<Write[]> {
  if (!capabilities.includes("consumable-notifications")) return [];
  const endOfStream = await notifications.endOf(streams.device(userId, clientId));
  return [sockets.queueCreation(userId, clientId, endOfStream)];
}
