import type { Write } from "#shared/data/conditions.ts";
import type { Device } from "#shared/data/device/device.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/** Names one of the caller's devices. */
export interface OwnDevice {
  readonly userId: string;
  readonly clientId: string;
}

const notOwn = () => new ApiError("mls-identity-mismatch");

/** @throws ApiError `mls-identity-mismatch` when the user has no such device */
export async function readOwnDevice({ devices }: Deps, { userId, clientId }: OwnDevice): Promise<Device> {
  const device = (await devices.get(userId)).devices[clientId];
  if (device === undefined) throw notOwn();
  return device;
}

/** Condition that the device is still there when its packages are written, so that none outlive it. */
export const requireOwnDevice = ({ devices }: Deps, { userId, clientId }: OwnDevice): Write => ({
  ...devices.require(userId, clientId),
  onRejected: notOwn,
});
