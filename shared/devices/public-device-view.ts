import * as z from "zod";
import { deviceId } from "#shared/platform/http/device-id.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { type Device, deviceClass } from "./device.ts";
import { prekeyItem } from "./prekey.ts";

const exampleUser = "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60";
const exampleDevice = "b420f65ee6e567f8";
const clientId = deviceId.meta({ description: "Id of a device" });

/** A device as others see it. */
export const pubClient = z
  .object({ id: z.string().meta({ description: "Id of the device" }), class: deviceClass.optional() })
  .meta({ id: "PubClient", description: "All that others learn about a device" });
export const pubClientList = z.array(pubClient);

/** Shows a device to other users. */
export const toPublicDevice = ({ clientId, class: deviceClass }: Device): z.input<typeof pubClient> => ({
  id: clientId,
  class: deviceClass,
});

export const userClients = z.record(wire.uuid, z.array(clientId)).meta({
  id: "UserClients",
  description: "Device ids by user id",
  examples: [{ [exampleUser]: [exampleDevice] }],
});
export const userClientPrekeys = z.record(z.uuid(), z.record(z.string(), prekeyItem.nullable())).meta({
  id: "UserClientPrekeyMap",
  description: "Prekeys by user id and device id; null for a device that no longer exists",
});
