import { findDevice } from "#shared/data/device/device.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/** Names one of the caller's devices. */
export interface OwnDevice {
  readonly userId: string;
  readonly clientId: string;
}

/** @throws ApiError `client-not-found` when the user has no such device */
export async function checkOwnDevice({ devices }: Deps, { userId, clientId }: OwnDevice): Promise<void> {
  const device = findDevice(await devices.get(userId), clientId);
  if (device === undefined) throw new ApiError("client-not-found");
}
