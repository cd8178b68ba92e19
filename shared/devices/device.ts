import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { signatureScheme } from "./mls/cipher-suites.ts";

/** A user has at most one temporary device; legal hold devices are added only by approval. */
export const deviceType = z.enum(["permanent", "temporary", "legalhold"]).meta({ id: "ClientType" });
export const deviceClass = z.enum(["phone", "tablet", "desktop", "legalhold"]).meta({ id: "ClientClass" });
/** Capabilities that older devices lack; the API document describes each. */
export const deviceCapability = z
  .enum(["legalhold-implicit-consent", "consumable-notifications"])
  .meta({ id: "ClientCapability" });

/** A device of a user ("client" in the interface). Times are unix milliseconds. */
const deviceItem = storedObject({
  /** Id of the device in its canonical form; the interface, tokens and tables call it this. */
  clientId: z.string(),
  type: deviceType,
  class: deviceClass.optional(),
  label: z.string().optional(),
  model: z.string().optional(),
  /** Label of the cookies to revoke when the device is removed. */
  cookieLabel: z.string().optional(),
  capabilities: z.array(deviceCapability),
  /** Public keys in base64, by scheme. */
  mlsPublicKeys: z.partialRecord(signatureScheme, z.string()),
  registeredAt: z.int(),
  /** End of the week in which it last fetched notifications. */
  lastActiveAt: z.int().optional(),
});
export type Device = z.infer<typeof deviceItem>;

/** All devices of a user: one item, so that their limit holds under concurrency and one read lists them. */
export const devicesItem = storedItem(
  { table: "clients", kind: "devices", key: ["user#*", "devices"], subject: { user: "partition" } },
  storedObject({
    userId: z.uuid(),
    revision: z.int(),
    devices: z.record(z.string(), deviceItem),
    /** Recent removals, the latest last. Times are unix milliseconds. */
    removals: z.array(storedObject({ clientId: z.string(), at: z.int() })).optional(),
  }),
  {
    userId: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    revision: 1,
    devices: {
      b420f65ee6e567f8: {
        clientId: "b420f65ee6e567f8",
        type: "permanent",
        class: "phone",
        capabilities: [],
        mlsPublicKeys: {},
        registeredAt: 0,
      },
    },
  },
);
export type Devices = Stored<typeof devicesItem>;

/** State of a user who has never had a device. */
export const noDevices = (userId: string): Devices => ({ userId, revision: 0, devices: {} });

/** Finds a device by its id, which may be any text from a caller. */
export const findDevice = ({ devices }: Devices, clientId: string): Device | undefined =>
  Object.hasOwn(devices, clientId) ? devices[clientId] : undefined;

/** How long a removal counts as recent: longer than delivery retries its event before parking it. */
const recentMilliseconds = 15 * 60_000;
/** Maximum number of removals that are remembered. */
const maxRemovals = 32;

/** The recent removals of a user, as they will be after replacing the devices. */
export function removalsAfter({ devices, removals = [] }: Devices, next: Devices["devices"], now: number) {
  const removed = Object.keys(devices).filter((clientId) => !Object.hasOwn(next, clientId));
  return [...removals, ...removed.map((clientId) => ({ clientId, at: now }))]
    .filter(({ at }) => now - at < recentMilliseconds)
    .slice(-maxRemovals);
}

/** Whether a device has been removed so recently that the event may still be on its way. */
export const wasJustRemoved = ({ removals = [] }: Devices, clientId: string, now: number): boolean =>
  removals.some((removal) => removal.clientId === clientId && now - removal.at < recentMilliseconds);

/** The legal hold device of a user, who has at most one. */
export const legalHoldDeviceOf = ({ devices }: Devices): Device | undefined =>
  Object.values(devices).find(({ type }) => type === "legalhold");

export const hasLegalHoldDevice = (devices: Devices): boolean => legalHoldDeviceOf(devices) !== undefined;

/** The user has no such device. */
export class DeviceNotFoundError extends Error {
  override readonly name = "DeviceNotFoundError";
}

/** A device would have more prekeys than the service keeps for it. */
export class TooManyPrekeysError extends Error {
  override readonly name = "TooManyPrekeysError";

  constructor(limit: number) {
    super(`A device can have about ${limit} prekeys`);
  }
}
