import type { PooledKeyPackage } from "#shared/devices/key-package-store.ts";
import { retryStale } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { acceptUploads } from "./accept-uploads.ts";
import type { Deps } from "./deps.ts";
import type { OwnDevice } from "./own-device.ts";
import { servedSuite } from "./served-suite.ts";

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

function checkSuites(named: ReadonlySet<number>, keyPackages: readonly PooledKeyPackage[]): void {
  const uploaded = new Set(keyPackages.map(({ suite }) => suite));
  if (named.size !== uploaded.size || [...named].some((suite) => !uploaded.has(suite))) {
    throw new ApiError("mls-protocol-error", {
      message: "The key packages have other cipher suites than the named ones",
    });
  }
}
