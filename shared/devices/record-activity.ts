import type { Clock } from "#shared/platform/clock.ts";
import type { Log } from "#shared/platform/log.ts";
import type { DeviceStore } from "./device-store.ts";

/** Record that a device fetches notifications, if the request names one. Never fails, because the fetch matters more. */
export async function recordActivity(
  { clock, devices, log }: { clock: Clock; devices: DeviceStore; log: Log },
  userId: string,
  clientId: string | undefined,
): Promise<void> {
  if (clientId === undefined) return;
  try {
    await devices.recordActivity(userId, clientId, clock());
  } catch (error) {
    log.warn("activity-not-noted", { userId, clientId, error: error as Error });
  }
}
