import type { Handlers, Input } from "#shared/platform/http/route.ts";
import type { LockStatus } from "#shared/registry/feature-configs.ts";
import {
  byOperation,
  type FeatureName,
  featureNames,
  lockableFeatures,
  operationOf,
  operatorFeatures,
} from "#shared/teams/features/catalogue.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import { toFeatureView } from "#shared/teams/features/feature-view.ts";
import { changeFeature, lockFeature } from "../change-feature.ts";
import type { Deps } from "../deps.ts";
import { readTeam } from "../read-team.ts";
import type { ChangeRoute, LockRoute, PatchRoute, ReadRoute, routes } from "./routes.ts";

const caller = "operator";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const read =
    (name: FeatureName) =>
    async ({ params }: Input<ReadRoute>) => {
      const { team } = await readTeam(deps, params.tid, caller);
      return { body: toFeatureView(effectiveFeature(name, team, deps.settings)) };
    };

  const change =
    (name: FeatureName) =>
    async ({ params, body: { status, config } }: Input<ChangeRoute>) => {
      const wanted = { teamId: params.tid, name, status, config };
      return { body: toFeatureView(await changeFeature(deps, wanted, { caller, overridesLock: false })) };
    };

  const patch =
    (name: FeatureName) =>
    async ({ params, body: { status, lockStatus, config } }: Input<PatchRoute>) => {
      const wanted = { teamId: params.tid, name, status, lockStatus, config };
      return { body: toFeatureView(await changeFeature(deps, wanted, { caller, overridesLock: true })) };
    };

  const lock =
    (name: FeatureName, lockStatus: LockStatus) =>
    async ({ params }: Input<LockRoute>) => {
      await lockFeature(deps, { teamId: params.tid, name, lockStatus });
      return { body: { lockStatus } };
    };

  return {
    ...byOperation(featureNames.map((name) => [`i-get_${operationOf(name)}`, read(name)] as const)),
    ...byOperation(operatorFeatures.map((name) => [`i-put_${operationOf(name)}`, change(name)] as const)),
    ...byOperation(operatorFeatures.map((name) => [`i-patch_${operationOf(name)}`, patch(name)] as const)),
    ...byOperation(
      lockableFeatures.map((name) => [`i-lock_${operationOf(name)}`, lock(name, "locked")] as const),
    ),
    ...byOperation(
      lockableFeatures.map((name) => [`i-unlock_${operationOf(name)}`, lock(name, "unlocked")] as const),
    ),

    "i-get_SearchVisibilityInboundConfig-dashed": read("searchVisibilityInbound"),
    "i-put_SearchVisibilityInboundConfig-dashed": change("searchVisibilityInbound"),
    "i-put_SSOConfig-public": change("sso"),
  };
}
