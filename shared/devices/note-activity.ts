import type { Clock } from "../clock.ts";
import type { DeviceStore } from "../data/device/device-store.ts";
import type { Log } from "../log.ts";

/** Note that a device asks for its notifications, when it says which one it is. Never fails: they matter more. */
export async function noteActivity(
  { clock, devices, log }: { clock: Clock; devices: DeviceStore; log: Log },
  userId: string,
  clientId: string | undefined,
): Promise<void> {
  if (clientId === undefined) return;
  try {
    await devices.noteActivity(userId, clientId, clock());
  } catch (error) {
    log.warn("activity-not-noted", { userId, clientId, error: error as Error });
  }
}
