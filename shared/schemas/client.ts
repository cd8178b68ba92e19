import * as z from "zod";
import { type Device, deviceCapability, deviceClass, deviceType } from "../data/device/device.ts";
import { toUtcSecond, utcSecond, utcTime } from "./primitives.ts";

export const clientCapabilityList = z.array(deviceCapability).meta({ id: "ClientCapabilityList" });

/** How versions before 7 show capabilities. */
export const nestedCapabilities = z
  .object({ capabilities: clientCapabilityList })
  .meta({ id: "NestedClientCapabilityList" });

export const mlsPublicKeys = z.record(z.string(), z.string()).meta({
  id: "MLSPublicKeys",
  description: "Raw public keys in base64, by signature scheme",
});

/** A device as its owner sees it (published schema `Client`). */
export const client = z
  .object({
    id: z.string(),
    type: deviceType,
    time: utcTime.meta({ description: "When it was registered" }),
    class: deviceClass.optional(),
    label: z.string().optional(),
    model: z.string().optional(),
    cookie: z.string().optional().meta({ description: "Label of the cookies that go when the device goes" }),
    capabilities: clientCapabilityList,
    mls_public_keys: mlsPublicKeys,
    last_active: utcSecond
      .optional()
      .meta({ description: "End of the week in which it last fetched notifications" }),
  })
  .meta({ id: "Client" });

/** The same before version 7, and in events whatever the version. */
export const clientWithNestedCapabilities = client
  .extend({ capabilities: nestedCapabilities })
  .meta({ id: "ClientWithNestedCapabilities" });

/** First version that knows the capability `consumable-notifications`. */
const consumableNotificationsSince = 8;

/** A device's capabilities as far as a version knows them. */
export const capabilitiesIn = (version: number, { capabilities }: Device): Device["capabilities"] =>
  version >= consumableNotificationsSince
    ? capabilities
    : capabilities.filter((capability) => capability !== "consumable-notifications");

export const toClientView = (device: Device, version: number): z.input<typeof client> => ({
  id: device.clientId,
  type: device.type,
  time: new Date(device.registeredAt).toISOString(),
  class: device.class,
  label: device.label,
  model: device.model,
  cookie: device.cookieLabel,
  capabilities: capabilitiesIn(version, device),
  mls_public_keys: device.mlsPublicKeys,
  last_active: device.lastActiveAt === undefined ? undefined : toUtcSecond(device.lastActiveAt),
});

export function toNestedClientView(device: Device): z.input<typeof clientWithNestedCapabilities> {
  const { capabilities, ...view } = toClientView(device, 0);
  return { ...view, capabilities: { capabilities } };
}
