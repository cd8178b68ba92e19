import { findDevice } from "#shared/devices/device.ts";
import type { PooledKeyPackage } from "#shared/devices/key-package-store.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { acceptKeyPackage } from "./accept-key-package.ts";
import type { Deps } from "./deps.ts";
import type { OwnDevice } from "./own-device.ts";

/** Key packages that may be stored as long as the condition holds: their device has neither changed nor been removed. */
export interface AcceptedUploads {
  readonly keyPackages: readonly PooledKeyPackage[];
  /** Rejected as `StaleReadError`. */
  readonly condition: Write;
}

/**
 * Check key packages that one of the caller's devices uploads.
 * @throws ApiError `mls-identity-mismatch`, `mls-protocol-error`
 */
export async function acceptUploads(
  deps: Deps,
  own: OwnDevice,
  uploads: readonly Buffer[],
): Promise<AcceptedUploads> {
  const { clock, devices, settings } = deps;
  const [found] = await Promise.all([devices.get(own.userId), mayCommit()]);
  const device = findDevice(found, own.clientId);
  if (device === undefined) throw new ApiError("mls-identity-mismatch");
  const expectation = {
    owner: { ...own, domain: settings.domain },
    device,
    nowSeconds: toSeconds(clock()),
    maximumLifetimeSeconds: settings.setKeyPackageMaximumLifetime,
  };
  return {
    keyPackages: uploads.map((bytes) => acceptKeyPackage(bytes, expectation)),
    condition: devices.requireSame(own.userId, device),
  };
}
