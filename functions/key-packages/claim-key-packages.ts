import { currentStatus } from "#shared/data/account/account.ts";
import type { Device } from "#shared/data/device/device.ts";
import type { KeyPackageItem } from "#shared/data/key-package/key-package.ts";
import { ApiError } from "#shared/errors.ts";
import { checkMlsEnabled } from "#shared/mls/check-mls-enabled.ts";
import type { Deps } from "./deps.ts";
import { servedSuite } from "./served-suite.ts";

/** A key package that was taken, and the device that it adds to a group. */
export interface ClaimedKeyPackage extends KeyPackageItem {
  readonly clientId: string;
}

/**
 * Take one key package of each device of a user that has any for a cipher suite. Nobody gets the same one again.
 *
 * @param except devices that are left out
 * @throws ApiError `mls-not-enabled`, `mls-protocol-error`, `invalid-user`, `mls-legal-hold-not-allowed`
 * @see operation `mls-key-packages-claim`
 */
export async function claimKeyPackages(
  deps: Deps,
  { userId, suite, except }: { userId: string; suite: number; except: ReadonlySet<string | undefined> },
): Promise<ClaimedKeyPackage[]> {
  checkMlsEnabled(deps.settings);
  servedSuite(suite);
  const devices = await readDevices(deps, userId);
  const claims = devices
    .filter(({ clientId }) => !except.has(clientId))
    .map(async ({ clientId }) => {
      const claimed = await deps.keyPackages.claim({ userId, clientId, suite });
      return claimed === undefined ? [] : [{ clientId, ...claimed }];
    });
  return (await Promise.all(claims)).flat();
}

/** Devices of a user who can be added to groups. */
async function readDevices({ accounts, clock, devices }: Deps, userId: string): Promise<Device[]> {
  const [account, ofUser] = await Promise.all([accounts.get(userId), devices.get(userId)]);
  const status = account && currentStatus(account, clock());
  if (status !== "active" && status !== "ephemeral") throw new ApiError("invalid-user");
  const found = Object.values(ofUser.devices);
  if (found.some(({ type }) => type === "legalhold")) throw new ApiError("mls-legal-hold-not-allowed");
  return found;
}
