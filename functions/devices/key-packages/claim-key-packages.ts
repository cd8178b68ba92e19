import { currentStatus } from "#shared/accounts/account.ts";
import { isOngoing } from "#shared/accounts/legal-hold-status.ts";
import { readClaimAllowances } from "#shared/conversations/connections/claim-allowances.ts";
import { type Device, hasLegalHoldDevice } from "#shared/devices/device.ts";
import type { KeyPackageItem } from "#shared/devices/key-package-store.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { servedSuite } from "./served-suite.ts";

interface KeyPackageClaim {
  readonly claimerId: string;
  readonly userId: string;
  /** Number of the cipher suite. */
  readonly suite: number;
  /** Devices to leave out. */
  readonly except: ReadonlySet<string | undefined>;
}

/** A key package that was claimed, and the device that it adds to a group. */
export interface ClaimedKeyPackage extends KeyPackageItem {
  readonly clientId: string;
}

/**
 * Claim a key package for a cipher suite from each of a user's devices that has one. None is given out twice. A caller
 * who is not activated can claim only from their own devices.
 *
 * @throws ApiError `mls-protocol-error`, `invalid-user`, `mls-legal-hold-not-allowed`
 * @throws RateLimitedError when the claimer, or strangers to the user, have spent the daily budget
 * @see operation `mls-key-packages-claim`
 */
export async function claimKeyPackages(
  deps: Deps,
  { claimerId, userId, suite, except }: KeyPackageClaim,
): Promise<ClaimedKeyPackage[]> {
  servedSuite(suite);
  const [devices, allowanceOf] = await Promise.all([
    readDevices(deps, userId),
    readClaimAllowances(deps, { kind: "key-packages", claimerId, userIds: [userId] }),
  ]);
  const allowance = allowanceOf(userId);
  if (allowance === "refused") return [];
  if (allowance !== "granted") throw allowance;
  const claims = devices
    .filter(({ clientId }) => !except.has(clientId))
    .map(async ({ clientId }) => {
      const claimed = await deps.keyPackages.claim({ userId, clientId, suite });
      return claimed === undefined ? [] : [{ clientId, ...claimed }];
    });
  return (await Promise.all(claims)).flat();
}

/** Reads the devices of a user, if the user can be added to groups. */
async function readDevices({ accounts, clock, devices }: Deps, userId: string): Promise<Device[]> {
  const [account, ofUser] = await Promise.all([accounts.get(userId), devices.get(userId)]);
  const status = account && currentStatus(account, clock());
  if (status !== "active" && status !== "ephemeral") throw new ApiError("invalid-user");
  if (isOngoing(account?.legalHoldStatus) || hasLegalHoldDevice(ofUser))
    throw new ApiError("mls-legal-hold-not-allowed");
  return Object.values(ofUser.devices);
}
