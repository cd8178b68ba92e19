import type { Bucket } from "#shared/platform/files/bucket.ts";
import type { Asset } from "./asset.ts";
import type { AssetKey } from "./asset-key.ts";
import type { AssetStore } from "./asset-store.ts";
import { countStorage, type StorageDeps } from "./count-storage.ts";

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
