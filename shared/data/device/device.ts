import * as z from "zod";

export const deviceType = z.enum(["permanent", "temporary", "legalhold"]);
export const deviceClass = z.enum(["phone", "tablet", "desktop", "legalhold"]);
export const deviceCapability = z.enum(["legalhold-implicit-consent", "consumable-notifications"]);
export const signatureScheme = z.enum([
  "ed25519",
  "ecdsa_secp256r1_sha256",
  "ecdsa_secp384r1_sha384",
  "ecdsa_secp521r1_sha512",
]);
export type SignatureScheme = z.infer<typeof signatureScheme>;

/** A device of a user ("client" in the interface). Times are unix milliseconds. */
const deviceItem = z.object({
  /** Lower-case hex. */
  clientId: z.string(),
  type: deviceType,
  class: deviceClass.optional(),
  label: z.string().optional(),
  model: z.string().optional(),
  /** Label of the cookies that go when the device goes. */
  cookieLabel: z.string().optional(),
  capabilities: z.array(deviceCapability),
  /** Public keys in base64, by scheme. */
  mlsPublicKeys: z.partialRecord(signatureScheme, z.string()),
  registeredAt: z.int(),
  /** Week of the last fetch of notifications: its end. */
  lastActiveAt: z.int().optional(),
});
export type Device = z.infer<typeof deviceItem>;

/** All devices of a user: one item, so that their limit holds under concurrency and one read lists them. */
export const devicesItem = z.object({
  userId: z.uuid(),
  revision: z.int(),
  devices: z.record(z.string(), deviceItem),
});
export type Devices = z.infer<typeof devicesItem>;

export const noDevices = (userId: string): Devices => ({ userId, revision: 0, devices: {} });

/** A device of the user by its id, which may be any text. */
export const findDevice = ({ devices }: Devices, clientId: string): Device | undefined =>
  Object.hasOwn(devices, clientId) ? devices[clientId] : undefined;
