import { createHash, randomBytes } from "node:crypto";
import { currentStatus } from "#shared/accounts/account.ts";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import { payerOf, type Spender } from "#shared/accounts/write-budget.ts";
import { type Asset, type AssetOwner, partBytes } from "#shared/assets/asset.ts";
import { type AssetKey, expiryOf, newAssetKey } from "#shared/assets/asset-key.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import type { Retention } from "#shared/registry/buckets.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { isActiveBot } from "#shared/services/active-bot.ts";
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
  const checkedAt = deps.clock();
  const checkAgain = async () => {
    if (deps.clock() - checkedAt > checkedMilliseconds) await limitsOf(deps, owner);
  };
  const { isPublic, retention, bytes, content } = await readUpload(body, maxBytes);
  const { asset, ...uploaded } = newAsset({ owner, teamId, isPublic, retention, bytes }, deps.clock());
  const store = bytes <= partBytes ? storeWhole : storeInParts;
  await store(deps, { asset, objectName: uploaded.key.objectName, payer, content, checkAgain });
  return uploaded;
}

/** Less than the time between the two looks that an erasure takes at the files of an account. */
const checkedMilliseconds = 30_000;

/** The record of a new file, and what its uploader learns. */
export function newAsset(
  { owner, retention, isPublic, ...fields }: NewAsset,
  createdAt: number,
): UploadedAsset & { readonly asset: Asset } {
  const key = newAssetKey(retention);
  const token = isPublic ? undefined : newAssetToken();
  const expiresAt = expiryOf(retention, createdAt);
  const asset: Asset = {
    assetKey: key.text,
    ownerKind: owner.kind,
    ownerId: owner.id,
    tokenHash: token && hashAssetToken(token),
    ...fields,
    createdAt,
    expiresAtSeconds: expiresAt && toSeconds(expiresAt),
  };
  return { asset, key, token, expiresAt };
}

interface NewAsset {
  readonly owner: AssetOwner;
  readonly teamId: string | undefined;
  readonly isPublic: boolean;
  readonly retention: Retention;
  readonly bytes: number;
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
  return { maxBytes: maxBytesWithoutTeam(deps.settings), payer };
}

/**
 * Check that a user may upload.
 * @throws ApiError `not-found`, `unverified-user`
 */
export async function checkUser(
  { accounts, clock, settings }: Deps,
  userId: string,
  limits: SizeLimits = settings,
): Promise<UploadLimits> {
  const account = await accounts.get(userId);
  if (account === undefined) throw new ApiError("not-found");
  const status = currentStatus(account, clock());
  if (status !== "active" && status !== "ephemeral") throw new ApiError("unverified-user");
  return {
    maxBytes: account.teamId === undefined ? maxBytesWithoutTeam(limits) : limits.maxTotalBytes,
    teamId: account.teamId,
    payer: { userId, status },
  };
}

type SizeLimits = Pick<Settings, "maxTotalBytes" | "maxTotalBytesStrict">;

/** Nobody without a team may store more than a member of one. */
const maxBytesWithoutTeam = ({ maxTotalBytes, maxTotalBytesStrict }: SizeLimits) =>
  Math.min(maxTotalBytes, maxTotalBytesStrict);

const tokenBytes = 16;

/** Creates a token: 24 characters of base64url, including the padding that existing clients expect. */
export const newAssetToken = (): string => `${randomBytes(tokenBytes).toString("base64url")}==`;

/** The hash that is stored instead of a token. A token is random, so one round without salt suffices. */
export const hashAssetToken = (token: string): string =>
  createHash("sha256").update(token).digest("base64url");

/** Whether a token, or none, opens an asset to users other than its owner. */
export function fitsToken(tokenHash: string | undefined, token: string | undefined): boolean {
  if (tokenHash === undefined || token === undefined) return tokenHash === token;
  return isSameSecret(hashAssetToken(token), tokenHash);
}

/** Whether a caller still exists, if it is a bot: its token never expires, so it outlives the bot. */
export async function isPresent(
  { accounts }: { readonly accounts: AccountStore },
  { kind, id }: AssetOwner,
): Promise<boolean> {
  if (kind !== "bot") return true;
  const account = await accounts.get(id);
  return account?.service !== undefined && account.status === "active";
}

/** Whether a caller may change anything, if it is a bot: one whose service is switched off only reads. */
export const mayChange = (deps: Deps, { kind, id }: AssetOwner): Promise<boolean> | true =>
  kind !== "bot" || isActiveBot(deps, id);
