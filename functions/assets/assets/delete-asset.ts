import { type AssetOwner, isOwner } from "#shared/assets/asset.ts";
import { removeAsset } from "#shared/assets/remove-asset.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { mayChange } from "./bot-presence.ts";
import type { Deps } from "./deps.ts";
import { findAsset } from "./download-asset.ts";

/**
 * Delete an asset. From then on, download addresses that were already given out lead nowhere.
 *
 * @throws ApiError `not-found`, also when another request was faster; `unauthorised`; `bot-access-denied`
 * @see operations `assets-delete`, `assets-delete-v3_bot`, `assets-delete-v3_provider`
 */
export async function deleteAsset(deps: Deps, keyText: string, caller: AssetOwner): Promise<void> {
  const [{ asset, key }, isAllowed] = await Promise.all([
    findAsset(deps, keyText),
    mayChange(deps, caller),
    mayCommit(),
  ]);
  if (!isAllowed) throw new ApiError("bot-access-denied");
  if (!isOwner(asset, caller)) throw new ApiError("unauthorised");
  if (!(await removeAsset(deps, key, asset))) throw new ApiError("not-found");
}

/** Delete an asset, whoever uploaded it. @throws ApiError `not-found` @see operation `i-delete-asset` */
export async function deleteForOperator(deps: Deps, keyText: string): Promise<void> {
  const { asset, key } = await findAsset(deps, keyText);
  const { ownerKind, ownerId, teamId } = asset;
  describeAudited({
    target: { [ownerKind === "user" ? "uid" : ownerKind]: ownerId },
    ...(teamId !== undefined && { team: teamId }),
  });
  if (!(await removeAsset(deps, key, asset))) throw new ApiError("not-found");
}
