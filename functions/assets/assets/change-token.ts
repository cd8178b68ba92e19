import type { AssetOwner } from "#shared/assets/asset.ts";
import { parseAssetKey } from "#shared/assets/asset-key.ts";
import { AssetNotFoundError, NotAssetOwnerError } from "#shared/assets/asset-store.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { hashAssetToken, newAssetToken } from "./asset-token.ts";
import type { Deps } from "./deps.ts";

/**
 * Give an asset a new token, whether or not it was public: the old one is no longer valid.
 *
 * @throws ApiError `not-found`, `unauthorised`
 * @see operation `tokens-renew`
 */
export async function renewToken(deps: Deps, keyText: string, caller: AssetOwner): Promise<string> {
  const token = newAssetToken();
  await setTokenHash(deps, keyText, caller, hashAssetToken(token));
  return token;
}

/** Make an asset public. @throws ApiError `not-found`, `unauthorised` @see operation `tokens-delete` */
export const deleteToken = (deps: Deps, keyText: string, caller: AssetOwner): Promise<void> =>
  setTokenHash(deps, keyText, caller, undefined);

async function setTokenHash(
  { assets }: Deps,
  keyText: string,
  caller: AssetOwner,
  tokenHash: string | undefined,
): Promise<void> {
  const key = parseAssetKey(keyText);
  if (key === undefined) throw new ApiError("not-found");
  // Nothing else is read here, so this takes a round trip of its own.
  await mayCommit();
  await assets
    .setTokenHash(key.text, caller, tokenHash)
    .catch(answer(AssetNotFoundError, "not-found"))
    .catch(answer(NotAssetOwnerError, "unauthorised"));
}
