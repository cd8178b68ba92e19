import type { Deps } from "./deps.ts";
import { checkOwnDevice, type OwnDevice } from "./own-device.ts";
import { servedSuite } from "./served-suite.ts";

/**
 * Count the claimable key packages of one of the caller's devices.
 *
 * @throws ApiError `mls-protocol-error`, `mls-identity-mismatch`
 * @see operation `mls-key-packages-count`
 */
export async function countKeyPackages(deps: Deps, own: OwnDevice, suite: number): Promise<number> {
  servedSuite(suite);
  const [count] = await Promise.all([deps.keyPackages.count({ ...own, suite }), checkOwnDevice(deps, own)]);
  return count;
}
