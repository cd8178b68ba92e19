import { findDevice } from "#shared/devices/device.ts";
import type { PooledKeyPackage } from "#shared/devices/key-package-store.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { retryStale, type Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { acceptKeyPackage, servedSuite } from "./accept-key-package.ts";
import type { Deps } from "./deps.ts";

/** Key packages of a device for a cipher suite, several times what clients keep there. */
const maxPoolSize = 500;

/**
 * Add key packages of one of the caller's devices; if one is refused, none is added. Concurrent uploads may exceed
 * `maxPoolSize`.
 *
 * @throws ApiError `mls-identity-mismatch`, `mls-protocol-error`
 * @see operation `mls-key-packages-upload`
 */
export async function uploadKeyPackages(
  deps: Deps,
  own: OwnDevice,
  uploads: readonly Buffer[],
): Promise<void> {
  await retryStale(async () => {
    const { keyPackages, condition } = await acceptUploads(deps, own, uploads);
    await checkRoom(deps, own, keyPackages);
    await deps.keyPackages.add(keyPackages, condition);
  });
}

/**
 * Replace the key packages of one of the caller's devices for the named cipher suites, which must be those of the new
 * packages. Packages for other suites stay.
 *
 * @throws ApiError `mls-identity-mismatch`, `mls-protocol-error`
 * @see operation `mls-key-packages-replace`
 */
export async function replaceKeyPackages(
  deps: Deps,
  own: OwnDevice,
  suites: readonly number[],
  uploads: readonly Buffer[],
): Promise<void> {
  const named = new Set(suites);
  for (const suite of named) servedSuite(suite);
  const pools = [...named].map((suite) => ({ ...own, suite }));
  await retryStale(async () => {
    const { keyPackages, condition } = await acceptUploads(deps, own, uploads);
    checkSuites(named, keyPackages);
    await deps.keyPackages.replace(pools, keyPackages, condition);
  });
}

/** @throws ApiError `mls-protocol-error` when the device would have too many */
async function checkRoom(
  deps: Pick<Deps, "keyPackages">,
  own: OwnDevice,
  uploaded: readonly PooledKeyPackage[],
): Promise<void> {
  const bySuite = Map.groupBy(uploaded, ({ suite }) => suite);
  const checks = [...bySuite].map(
    async ([suite, added]) => (await deps.keyPackages.count({ ...own, suite })) + added.length > maxPoolSize,
  );
  if ((await Promise.all(checks)).includes(true))
    throw new ApiError("mls-protocol-error", {
      message: `A device has at most ${maxPoolSize} key packages of a cipher suite`,
    });
}

function checkSuites(named: ReadonlySet<number>, keyPackages: readonly PooledKeyPackage[]): void {
  const uploaded = new Set(keyPackages.map(({ suite }) => suite));
  if (named.size !== uploaded.size || [...named].some((suite) => !uploaded.has(suite))) {
    throw new ApiError("mls-protocol-error", {
      message: "The key packages have other cipher suites than the named ones",
    });
  }
}

/** Key packages that may be stored as long as the condition holds: their device has neither changed nor been removed. */
interface AcceptedUploads {
  readonly keyPackages: readonly PooledKeyPackage[];
  /** Rejected as `StaleReadError`. */
  readonly condition: Write;
}

/**
 * Check key packages that one of the caller's devices uploads.
 * @throws ApiError `mls-identity-mismatch`, `mls-protocol-error`
 */
async function acceptUploads(
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
    keyPackages: distinct(uploads).map((bytes) => acceptKeyPackage(bytes, expectation)),
    condition: devices.requireSame(own.userId, device),
  };
}

/** Each package once: another copy would be verified for nothing. */
const distinct = (uploads: readonly Buffer[]): Buffer[] => [
  ...new Map(uploads.map((bytes) => [bytes.toString("latin1"), bytes])).values(),
];

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
