import { type Asset, type AssetOwner, isOwner } from "#shared/assets/asset.ts";
import { type AssetKey, parseAssetKey } from "#shared/assets/asset-key.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { fitsToken } from "./asset-token.ts";
import { isPresent } from "./bot-presence.ts";
import type { Deps } from "./deps.ts";

/**
 * Create an address from which an asset can be read, for its owner or whoever has its token. A public asset has no
 * token, so any token is wrong.
 *
 * @throws ApiError `not-found`, whatever the reason
 * @see operations `assets-download`, `assets-download-v3_bot`, `assets-download-v3_provider`
 */
export async function downloadAsset(
  deps: Deps,
  keyText: string,
  { caller, token }: { caller: AssetOwner; token: string | undefined },
): Promise<string> {
  const [{ asset, key }, isKnown] = await Promise.all([findAsset(deps, keyText), isPresent(deps, caller)]);
  if (!isKnown) throw new ApiError("not-found");
  if (!isOwner(asset, caller) && !fitsToken(asset.tokenHash, token)) throw new ApiError("not-found");
  return signUrl(deps, key);
}

/** Create a download address of any asset, for an operator. @throws ApiError `not-found` @see operation `i-get-asset` */
export async function inspectAsset(deps: Deps, keyText: string): Promise<string> {
  const { key } = await findAsset(deps, keyText);
  return signUrl(deps, key);
}

/** @throws ApiError `not-found`, also for a malformed key */
export async function findAsset({ assets }: Deps, keyText: string): Promise<{ asset: Asset; key: AssetKey }> {
  const key = parseAssetKey(keyText);
  const asset = key && (await assets.get(key.text));
  if (key === undefined || asset === undefined) throw new ApiError("not-found");
  return { asset, key };
}

const signUrl = ({ bucket, settings }: Deps, { objectName }: AssetKey) =>
  bucket.signUrl(objectName, settings.downloadLinkTTL);
