import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Feature } from "#shared/teams/features/feature.ts";
import { changeFeature, type FeatureChange } from "../change-feature.ts";
import type { Deps } from "../deps.ts";

/** First version in which end-to-end identity needs a proxy for revocation lists. */
const crlProxySince = 6;

/**
 * Change a feature of the acting user's team.
 *
 * @throws ApiError `mls-e2eid-missing-crl-proxy`, `not-a-team-member`, `operation-denied`, `feature-locked`, and those of
 *   the feature's rule
 * @see operation `put_AppLockConfigB`, and likewise for other features
 */
export async function changeOwnFeature(
  deps: Deps,
  userId: string,
  change: FeatureChange,
  version: number,
): Promise<Feature> {
  const { name, config } = change;
  if (name === "mlsE2EId" && version >= crlProxySince && config?.crlProxy === undefined)
    throw new ApiError("mls-e2eid-missing-crl-proxy");
  const caller = { userId, need: { role: "admin" } } as const;
  return changeFeature(deps, change, { caller, overridesLock: false });
}
