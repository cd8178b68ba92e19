import { findDevice } from "#shared/devices/device.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import type { Deps } from "./deps.ts";

/** Identifies one of the caller's devices. */
export interface OwnDevice {
  readonly userId: string;
  readonly clientId: string;
}

/** Check that the user has the device. @throws ApiError `mls-identity-mismatch` */
export async function checkOwnDevice({ devices }: Deps, { userId, clientId }: OwnDevice): Promise<void> {
  const [found] = await Promise.all([devices.get(userId), mayCommit()]);
  const device = findDevice(found, clientId);
  if (device === undefined) throw new ApiError("mls-identity-mismatch");
}
