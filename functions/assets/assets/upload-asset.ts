import { currentStatus } from "#shared/accounts/account.ts";
import type { AssetOwner } from "#shared/assets/asset.ts";
import { type AssetKey, expiryOf, newAssetKey } from "#shared/assets/asset-key.ts";
import { hashAssetToken, newAssetToken } from "#shared/assets/asset-token.ts";
import { readUpload } from "#shared/assets/upload-body.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

export interface UploadedAsset {
  readonly key: AssetKey;
  /** Absent: the asset is public. */
  readonly token: string | undefined;
  /** Unix milliseconds; absent: never. */
  readonly expiresAt: number | undefined;
}

/** Counted for every upload, however small: its record is stored, too. */
const overheadBytes = 1024;

/**
 * Store an asset, its record first: if this stops half-way, no bytes are left without a record. The daily budget is spent at
 * the same time, outside a transaction: otherwise uploads by the same user would hold up each other.
 *
 * @throws ApiError `not-found`, `unverified-user`, and those of `readUpload`
 * @throws RateLimitedError when the user has spent the daily budget
 * @see operation `assets-upload`
 */
export async function uploadAsset(deps: Deps, userId: string, body: Uint8Array): Promise<UploadedAsset> {
  const { assets, bucket, budget, clock } = deps;
  const { maxBytes, dailyBytes } = await checkUploader(deps, userId);
  const { isPublic, retention, content } = readUpload(body, maxBytes);
  const owner: AssetOwner = { kind: "user", id: userId };
  const key = newAssetKey(retention);
  const token = isPublic ? undefined : newAssetToken();
  const createdAt = clock();
  const expiresAt = expiryOf(retention, createdAt);
  const [spent, created] = await Promise.allSettled([
    budget.spend(`uploads#${userId}`, overheadBytes + content.length, dailyBytes),
    assets.create({
      assetKey: key.text,
      ownerKind: owner.kind,
      ownerId: owner.id,
      tokenHash: token && hashAssetToken(token),
      bytes: content.length,
      createdAt,
      expiresAtSeconds: expiresAt && toSeconds(expiresAt),
    }),
  ]);
  if (spent.status === "rejected") {
    await assets.remove(key.text);
    throw spent.reason;
  }
  if (created.status === "rejected") throw created.reason;
  await bucket.put(key.objectName, content);
  return { key, token, expiresAt };
}

/** @returns the user's size limit for an asset, and for all assets of a day, in bytes */
async function checkUploader(
  { accounts, clock, settings }: Deps,
  userId: string,
): Promise<{ maxBytes: number; dailyBytes: number | null }> {
  const account = await accounts.get(userId);
  if (account === undefined) throw new ApiError("not-found");
  const status = currentStatus(account, clock());
  if (status !== "active" && status !== "ephemeral") throw new ApiError("unverified-user");
  const { maxTotalBytes, maxTotalBytesStrict = maxTotalBytes, setDailyUploadBudget } = settings;
  return {
    maxBytes: account.teamId === undefined ? maxTotalBytesStrict : maxTotalBytes,
    dailyBytes: setDailyUploadBudget[status === "ephemeral" ? "perAnonymousUser" : "perUser"],
  };
}
