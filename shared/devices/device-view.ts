import * as z from "zod";
import { toUtcSecond, utcSecond, utcTime } from "#shared/platform/http/wire-types.ts";
import { type Device, deviceCapability, deviceClass, deviceType } from "./device.ts";

/** Capabilities of a device from version 7. */
export const capabilityList = z.array(deviceCapability).meta({
  id: "ClientCapabilityList",
  description:
    "`legalhold-implicit-consent`: can show that others are under legal hold. `consumable-notifications`: has a queue of events, which " +
    "`consume-events` reads.",
});

/** Capabilities of a device before version 7. */
export const nestedCapabilities = z
  .object({ capabilities: capabilityList })
  .meta({ id: "NestedClientCapabilityList" });

/** Public keys with which a device signs in MLS. */
export const mlsPublicKeys = z.record(z.string(), z.string()).meta({
  id: "MLSPublicKeys",
  description: "Raw public keys in base64, by signature scheme",
});

/** A device as its owner sees it (published schema `Client`). */
export const deviceView = z
  .object({
    id: z.string().meta({
      description:
        "Lower-case hex without leading zeros, derived from the last-resort prekey. Requests may pad it with zeros.",
    }),
    type: deviceType.meta({
      description:
        "A user has at most one `temporary` device, which the next one replaces. Approving legal hold adds a `legalhold` device.",
    }),
    time: utcTime.meta({ description: "When it was registered" }),
    class: deviceClass.optional(),
    label: z.string().optional().meta({ description: "Name for the user to recognise it by" }),
    model: z.string().optional(),
    cookie: z.string().optional().meta({ description: "Label of the cookies to revoke with the device" }),
    capabilities: capabilityList,
    mls_public_keys: mlsPublicKeys,
    last_active: utcSecond
      .optional()
      .meta({ description: "End of the week in which it last fetched notifications" }),
  })
  .meta({ id: "Client" });

/** The same for versions before 7, and in events for clients of every version. */
export const nestedDeviceView = deviceView
  .extend({ capabilities: nestedCapabilities })
  .meta({ id: "ClientWithNestedCapabilities" });

/** First version that knows the capability `consumable-notifications`. */
const consumableNotificationsSince = 8;

/** The capabilities of a device that exist in a version. */
export const capabilitiesIn = (version: number, { capabilities }: Device): Device["capabilities"] =>
  version >= consumableNotificationsSince
    ? capabilities
    : capabilities.filter((capability) => capability !== "consumable-notifications");

/** Shows a device to its owner, in the form from version 7. */
export const toDeviceView = (device: Device, version: number): z.input<typeof deviceView> => ({
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

/** Turns the view of a device into its form before version 7. */
export const withNestedCapabilities = ({
  capabilities,
  ...view
}: z.input<typeof deviceView>): z.input<typeof nestedDeviceView> => ({
  ...view,
  capabilities: { capabilities },
});

/** Shows a device to its owner, in the form before version 7 and of events. */
export const toNestedDeviceView = (device: Device) => withNestedCapabilities(toDeviceView(device, 0));

/** A device, of which only the id is shown. */
export const clientReference = z
  .object({ id: z.string().meta({ description: "Id of the device" }) })
  .meta({ id: "ClientReference" });
