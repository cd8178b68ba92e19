import type { Bucket } from "#shared/platform/files/bucket.ts";
import type { AssetKey } from "./asset-key.ts";
import type { AssetStore } from "./asset-store.ts";

/**
 * Remove an asset, its bytes first: if this stops half-way, the record is left and it can be repeated. @returns whether
 * the record still existed
 */
export async function removeAsset(
  { assets, bucket }: { readonly assets: AssetStore; readonly bucket: Bucket },
  { text, objectName }: AssetKey,
): Promise<boolean> {
  await bucket.delete(objectName);
  return assets.remove(text);
}
