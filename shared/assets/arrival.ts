import * as z from "zod";
import type { Clock } from "#shared/platform/clock.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import type { Bucket } from "#shared/platform/files/bucket.ts";
import type { Outbox, RevocableMessage } from "#shared/platform/messaging/outbox.ts";
import type { Asset } from "./asset.ts";
import { parseAssetKey } from "./asset-key.ts";
import type { AssetStore } from "./asset-store.ts";

/** Longer than any upload may take. */
const longestArrivalSeconds = 3 * 3600;

/** Message of the queue `erasures` about a file that may have arrived only in part. */
export const arrivalOrder = storedObject({ arrivingKey: z.string() });

/** Creates the order to remove a file if it has not arrived in time. It is committed before anything else is stored. */
export const orderRemovalOfArriving = (
  { clock, outbox }: { readonly clock: Clock; readonly outbox: Outbox },
  assetKey: string,
): RevocableMessage =>
  outbox.message(
    "erasures",
    { arrivingKey: assetKey },
    { isDeferred: true, time: clock() + longestArrivalSeconds * 1000 },
  );

/** The record of a file while it arrives. It expires by itself if a restored table has it without its order. */
export const whileArriving = (asset: Asset, now: number, uploadId?: string): Asset => ({
  ...asset,
  state: "arriving",
  expiresAtSeconds: toSeconds(now) + 2 * longestArrivalSeconds,
  ...(uploadId !== undefined && { uploadId }),
});

/** Remove what has arrived of a file, unless all of it has. May be repeated. */
export async function removeArriving(
  { assets, bucket }: { readonly assets: AssetStore; readonly bucket: Bucket },
  assetKey: string,
): Promise<void> {
  const asset = await assets.getStored(assetKey);
  const { objectName } = parseAssetKey(assetKey) ?? {};
  if (objectName === undefined) throw new Error(`Not the key of an asset: ${assetKey}`);
  if (asset?.uploadId !== undefined) await bucket.startedUpload(objectName, asset.uploadId).abort();
  if (!(await assets.removeArriving(assetKey))) return;
  // Also without a record: a run before this one may have removed it, and died.
  await bucket.delete(objectName);
}
