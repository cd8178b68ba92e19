import { checkMlsEnabled } from "#shared/mls/check-mls-enabled.ts";
import type { Deps } from "./deps.ts";
import { type OwnDevice, readOwnDevice } from "./own-device.ts";
import { servedSuite } from "./served-suite.ts";

/**
 * How many key packages of one of the own devices can be claimed.
 *
 * @throws ApiError `mls-not-enabled`, `mls-identity-mismatch`, `mls-protocol-error`
 * @see operation `mls-key-packages-count`
 */
export async function countKeyPackages(deps: Deps, own: OwnDevice, suite: number): Promise<number> {
  checkMlsEnabled(deps.settings);
  servedSuite(suite);
  const [count] = await Promise.all([deps.keyPackages.count({ ...own, suite }), readOwnDevice(deps, own)]);
  return count;
}
