import * as z from "zod";
import { deviceIdOf, storedPrekey } from "#shared/devices/prekey.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/**
 * The device that a legal hold service has created for a member, as stored: from the request on, as long as the member
 * is under legal hold. Times are unix milliseconds.
 */
export const allocatedDevice = storedItem(
  {
    table: "clients",
    kind: "legal-hold-device",
    key: ["user#*", "legal-hold"],
    subject: { user: "partition" },
  },
  storedObject({
    userId: z.uuid(),
    /** Differs after each change. */
    version: z.uuid(),
    /** Absent: none has been created yet. */
    keys: storedObject({ prekeys: z.array(storedPrekey), lastPrekey: storedPrekey }).optional(),
    /**
     * Until when one request locks the device while asking the service, which knows only the last device that it created.
     */
    heldUntil: z.int().optional(),
  }),
);
export type AllocatedDevice = Stored<typeof allocatedDevice>;
export type DeviceKeys = NonNullable<AllocatedDevice["keys"]>;

/** Id that the device has, or will have. */
export const allocatedId = ({ lastPrekey }: DeviceKeys): string => deviceIdOf(lastPrekey);
