import { retryStale } from "#shared/platform/data/conditions.ts";
import { acceptUploads } from "./accept-uploads.ts";
import type { Deps } from "./deps.ts";
import type { OwnDevice } from "./own-device.ts";

/**
 * Add key packages of one of the caller's devices; if one is refused, none is added.
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
    await deps.keyPackages.add(keyPackages, condition);
  });
}
