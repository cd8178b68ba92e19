import { checkMlsEnabled } from "#shared/mls/check-mls-enabled.ts";
import type { Deps } from "./deps.ts";
import { checkOwnDevice, type OwnDevice } from "./own-device.ts";
import { servedSuite } from "./served-suite.ts";

/**
 * How many key packages of one of the own devices can be claimed.
 *
 * @throws ApiError `mls-not-enabled`, `mls-protocol-error`, `client-not-found`
 * @see operation `mls-key-packages-count`
 */
export async function countKeyPackages(deps: Deps, own: OwnDevice, suite: number): Promise<number> {
  checkMlsEnabled(deps.settings);
  servedSuite(suite);
  const [count] = await Promise.all([deps.keyPackages.count({ ...own, suite }), checkOwnDevice(deps, own)]);
  return count;
}
