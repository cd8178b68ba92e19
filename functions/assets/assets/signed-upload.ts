import { whileArriving } from "#shared/assets/arrival.ts";
import { isOwner, partBytes } from "#shared/assets/asset.ts";
import { expiryOf, parseAssetKey } from "#shared/assets/asset-key.ts";
import { AssetNotFoundError } from "#shared/assets/asset-store.ts";
import { countStorage } from "#shared/assets/remove-asset.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import type { Retention } from "#shared/registry/buckets.ts";
import type { Deps } from "./deps.ts";
import { tooLarge } from "./read-upload.ts";
import { begin } from "./store-upload.ts";
import { checkUser, newAsset, type UploadedAsset } from "./upload-asset.ts";

interface Announced {
  readonly bytes: number;
  readonly isPublic: boolean;
  readonly retention: Retention;
}

/**
 * Begin an upload whose parts the client sends to S3 itself.
 *
 * @throws ApiError `not-found`, `unverified-user`, `asset-too-large`
 * @throws RateLimitedError when the caller has spent the daily budget
 * @see operation `begin-asset-upload`
 */
export async function beginUpload(
  deps: Deps,
  userId: string,
  { bytes, isPublic, retention }: Announced,
): Promise<UploadedAsset> {
  const { assets, bucket, clock, settings } = deps;
  const { maxBytes, payer, teamId } = await checkUser(deps, userId, settings.signedUploads);
  if (bytes > maxBytes) throw tooLarge(maxBytes);
  const now = clock();
  const owner = { kind: "user", id: userId } as const;
  const { asset, ...uploaded } = newAsset({ owner, teamId, isPublic, retention, bytes }, now);
  await begin(deps, asset, payer);
  const upload = await bucket.startUpload(uploaded.key.objectName, { isSigned: true });
  await assets.create(whileArriving(asset, now, upload.id));
  return uploaded;
}

/** An upload of a user that is not complete. @throws ApiError `not-found` */
async function findUpload({ assets, bucket }: Deps, userId: string, keyText: string) {
  const key = parseAssetKey(keyText);
  const asset = key && (await assets.getStored(key.text));
  if (key === undefined || asset === undefined || !isOwner(asset, { kind: "user", id: userId }))
    throw new ApiError("not-found");
  const upload =
    asset.uploadId === undefined ? undefined : bucket.startedUpload(key.objectName, asset.uploadId);
  return { asset, key, upload };
}

/** How long a part may be sent to its address. */
const addressSeconds = 3600;

/**
 * Sign the addresses of an upload's parts. S3 accepts parts of exactly the announced lengths.
 * @throws ApiError `not-found`
 * @see operation `get-asset-upload-parts`
 */
export async function signParts(deps: Deps, userId: string, keyText: string): Promise<string[]> {
  const { asset, upload } = await findUpload(deps, userId, keyText);
  if (upload === undefined) throw new ApiError("not-found");
  const { bytes } = asset;
  const parts = Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) =>
    upload.signPart(index + 1, Math.min(partBytes, bytes - index * partBytes), addressSeconds),
  );
  return Promise.all(parts);
}

/**
 * Make a file of the parts that a client has sent. May be repeated.
 *
 * @throws ApiError `not-found`, also for an upload by others or that has ended; `incomplete-body`
 * @see operation `complete-asset-upload`
 */
export async function completeUpload(deps: Deps, userId: string, keyText: string): Promise<void> {
  const { assets, bucket } = deps;
  const [{ asset, key, upload }] = await Promise.all([findUpload(deps, userId, keyText), mayCommit()]);
  if (asset.state !== "arriving") return;
  if (upload === undefined) throw new ApiError("not-found");
  const received = await upload.collectParts();
  if (received === undefined) {
    // An earlier attempt may have died after it.
    if ((await bucket.sizeOf(key.objectName)) !== asset.bytes) throw new ApiError("not-found");
  } else {
    if (received !== asset.bytes) throw new ApiError("incomplete-body");
    await upload.complete();
  }
  const expiresAt = expiryOf(key.retention, asset.createdAt);
  const whole = { ...asset, expiresAtSeconds: expiresAt && toSeconds(expiresAt) };
  const isConfirmed = await assets.confirm(whole).catch(answer(AssetNotFoundError, "not-found"));
  if (isConfirmed) await countStorage(deps, whole, "stored");
}
