import { currentStatus } from "#shared/accounts/account.ts";
import { payerOf, type Spender } from "#shared/accounts/write-budget.ts";
import type { Asset, AssetOwner } from "#shared/assets/asset.ts";
import { type AssetKey, expiryOf, newAssetKey } from "#shared/assets/asset-key.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { partBytes } from "#shared/platform/files/parted-upload.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { hashAssetToken, newAssetToken } from "./asset-token.ts";
import { mayChange } from "./bot-presence.ts";
import type { Deps } from "./deps.ts";
import { readUpload } from "./read-upload.ts";
import { storeInParts, storeWhole } from "./store-upload.ts";

/** A file that its owner uploads. */
export interface AssetUpload {
  readonly owner: AssetOwner;
  readonly body: AsyncIterable<Uint8Array>;
  readonly sourceIp: string;
}

export interface UploadedAsset {
  readonly key: AssetKey;
  /** Absent: the asset is public. */
  readonly token: string | undefined;
  /** Unix milliseconds; absent: never. */
  readonly expiresAt: number | undefined;
}

/**
 * Store an asset, its record first, so that a failure half-way leaves no bytes without a record. The daily budget is
 * spent at the same time, outside a transaction: otherwise uploads by the same user would delay each other.
 *
 * @throws ApiError `not-found`, `unverified-user`, `bot-access-denied`, and those of `readUpload`
 * @throws RateLimitedError when the caller has spent the daily budget, or uploads too many files at the same time
 * @see operations `assets-upload`, `assets-upload-v3_bot`, `assets-upload-v3_provider`
 */
export async function uploadAsset(deps: Deps, upload: AssetUpload): Promise<UploadedAsset> {
  const limits = await limitsOf(deps, upload.owner);
  const free = deps.places.take({ payerId: limits.payer.userId, sourceIp: upload.sourceIp });
  try {
    return await receiveAsset(deps, upload, limits);
  } finally {
    free();
  }
}

async function receiveAsset(
  deps: Deps,
  { owner, body }: AssetUpload,
  { maxBytes, payer, teamId }: UploadLimits,
): Promise<UploadedAsset> {
  const { isPublic, retention, bytes, content } = await readUpload(body, maxBytes);
  const key = newAssetKey(retention);
  const token = isPublic ? undefined : newAssetToken();
  const createdAt = deps.clock();
  const expiresAt = expiryOf(retention, createdAt);
  const asset: Asset = {
    assetKey: key.text,
    ownerKind: owner.kind,
    ownerId: owner.id,
    tokenHash: token && hashAssetToken(token),
    teamId,
    bytes,
    createdAt,
    expiresAtSeconds: expiresAt && toSeconds(expiresAt),
  };
  const store = bytes <= partBytes ? storeWhole : storeInParts;
  await store(deps, { asset, objectName: key.objectName, payer, content });
  return { key, token, expiresAt };
}

interface UploadLimits {
  /** Bytes of the largest asset. */
  readonly maxBytes: number;
  /** User whose daily budget is charged. */
  readonly payer: Spender;
  /** The team of the caller. */
  readonly teamId?: string | undefined;
}

async function limitsOf(deps: Deps, caller: AssetOwner): Promise<UploadLimits> {
  if (caller.kind === "user") return checkUser(deps, caller.id);
  const [isAllowed, payer] = await Promise.all([
    mayChange(deps, caller),
    caller.kind === "bot" ? payerOf(deps, caller.id) : { userId: caller.id },
  ]);
  if (!isAllowed) throw new ApiError("bot-access-denied");
  return { maxBytes: maxBytesWithoutTeam(deps), payer };
}

async function checkUser({ accounts, clock, settings }: Deps, userId: string): Promise<UploadLimits> {
  const account = await accounts.get(userId);
  if (account === undefined) throw new ApiError("not-found");
  const status = currentStatus(account, clock());
  if (status !== "active" && status !== "ephemeral") throw new ApiError("unverified-user");
  return {
    maxBytes: account.teamId === undefined ? maxBytesWithoutTeam({ settings }) : settings.maxTotalBytes,
    teamId: account.teamId,
    payer: { userId, status },
  };
}

/** Nobody without a team may store more than a member of one. */
const maxBytesWithoutTeam = ({ settings: { maxTotalBytes, maxTotalBytesStrict } }: Pick<Deps, "settings">) =>
  Math.min(maxTotalBytes, maxTotalBytesStrict);
