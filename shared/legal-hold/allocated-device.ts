import * as z from "zod";
import { deviceIdOf, prekeyItem } from "#shared/devices/prekey.ts";

/**
 * The device that a legal hold service has made for a member, as it is stored: from the request on, and as long as the
 * member is under legal hold. Times are unix milliseconds.
 */
export const allocatedDevice = z.object({
  userId: z.uuid(),
  /** Differs after each change. */
  version: z.uuid(),
  /** Absent: none has been made yet. */
  keys: z.object({ prekeys: z.array(prekeyItem), lastPrekey: prekeyItem }).optional(),
  /** Until when one request asks the service: the service knows only the last device that it was asked for. */
  heldUntil: z.int().optional(),
});
export type AllocatedDevice = z.infer<typeof allocatedDevice>;
export type DeviceKeys = NonNullable<AllocatedDevice["keys"]>;

/** Id that the device has, or will have. */
export const allocatedId = ({ lastPrekey }: DeviceKeys): string => deviceIdOf(lastPrekey);
