import type { ErasureOrder } from "#shared/accounts/erasure-order.ts";
import { isOwner } from "#shared/assets/asset.ts";
import { parseAssetKey } from "#shared/assets/asset-key.ts";
import { removeAsset } from "#shared/assets/remove-asset.ts";
import { removalOf } from "#shared/assets/unsent.ts";
import { Failures } from "#shared/platform/failures.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Deps } from "./deps.ts";

/** What is left after a run; without `after`, all files were seen. */
type Rest = NonNullable<ErasureOrder["files"]>;

/** Remove the files of a deleted account that nobody else has read, or will read, from a place in their list on. */
export async function eraseFiles(
  deps: Deps,
  { userId, files = {} }: Pick<ErasureOrder, "userId" | "files">,
  isTimeUp: TimeLimit,
): Promise<Rest> {
  const { assets, clock } = deps;
  const failures = new Failures("files");
  let { after, nextAt = Number.POSITIVE_INFINITY } = files;
  const rest = () => ({ ...(after !== undefined && { after }), ...(Number.isFinite(nextAt) && { nextAt }) });
  for await (const page of assets.ofOwner(userId, after)) {
    if (isTimeUp()) return failures.throwOr(rest());
    const now = clock();
    const own = page.filter((asset) => isOwner(asset, { kind: "user", id: userId }));
    const due = own.filter((asset) => (removalOf(asset) ?? Number.POSITIVE_INFINITY) <= now);
    await failures.collectAll(
      due.map(async (asset) => {
        const key = parseAssetKey(asset.assetKey);
        if (key !== undefined) await removeAsset(deps, key, asset);
      }),
    );
    for (const asset of own) {
      const at = removalOf(asset) ?? Number.POSITIVE_INFINITY;
      if (at > now) nextAt = Math.min(nextAt, at);
    }
    after = page.at(-1)?.assetKey ?? after;
  }
  after = undefined;
  return failures.throwOr(rest());
}
