import type { Bucket } from "#shared/platform/files/bucket.ts";
import type { Log } from "#shared/platform/log.ts";
import type { Statistics } from "#shared/platform/usage/statistics.ts";
import type { Asset } from "./asset.ts";
import type { AssetKey } from "./asset-key.ts";
import type { AssetStore } from "./asset-store.ts";

/**
 * Remove an asset, its bytes first, so that a failure half-way leaves the record for a repetition.
 * @returns whether the record still existed
 */
export async function removeAsset(
  { assets, bucket, ...deps }: StorageDeps & { readonly assets: AssetStore; readonly bucket: Bucket },
  { text, objectName }: AssetKey,
  asset: Asset,
): Promise<boolean> {
  if (asset.uploadId !== undefined) await bucket.startedUpload(objectName, asset.uploadId).abort();
  await bucket.delete(objectName);
  const isRemoved = await assets.remove(text);
  if (isRemoved && asset.state !== "arriving") await countStorage(deps, asset, "removed");
  return isRemoved;
}

/** Dependencies of counting the storage of teams. */
interface StorageDeps {
  readonly log: Log;
  readonly statistics: Statistics;
}

/** Count a new file, or one deleted before its expiry, for the team of its owner. Never fails. */
export async function countStorage(
  { log, statistics }: StorageDeps,
  { teamId, bytes, expiresAtSeconds }: Pick<Asset, "teamId" | "bytes" | "expiresAtSeconds">,
  change: "stored" | "removed",
): Promise<void> {
  if (teamId === undefined) return;
  const sign = change === "stored" ? 1 : -1;
  await statistics
    .addStorage(teamId, { bytes: sign * bytes, files: sign, expiresAtSeconds })
    .catch((error) => log.warn("storage-not-counted", { teamId, error: error as Error }));
}
