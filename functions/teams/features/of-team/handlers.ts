import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers, Input } from "#shared/platform/http/route.ts";
import {
  byFeature,
  byOperation,
  type FeatureName,
  featureNames,
  operationOf,
  publicFeatures,
} from "#shared/teams/features/catalogue.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { Feature } from "#shared/teams/features/feature.ts";
import { toFeatureView } from "#shared/teams/features/feature-view.ts";
import { changeFeature, type FeatureChange } from "../change-feature.ts";
import type { Deps } from "../deps.ts";
import { readTeam } from "../read-team.ts";
import type { ChangeRoute, ReadRoute, routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;

  const read =
    (name: FeatureName) =>
    async ({ actor, params }: Input<ReadRoute>) => {
      const { team } = await readTeam(deps, params.tid, { userId: actor.userId });
      return { body: toFeatureView(effectiveFeature(name, team, settings)) };
    };

  const change =
    (name: FeatureName) =>
    async ({ actor, params, body: { status, config }, version }: Input<ChangeRoute>) => {
      const wanted = { teamId: params.tid, name, status, config };
      return { body: toFeatureView(await changeOwnFeature(deps, actor.userId, wanted, version)) };
    };

  return {
    ...byOperation(featureNames.map((name) => [`get_${operationOf(name)}`, read(name)] as const)),
    ...byOperation(publicFeatures.map((name) => [`put_${operationOf(name)}`, change(name)] as const)),

    "get_SearchVisibilityAvailableConfig@v1": read("searchVisibility"),
    "put_SearchVisibilityAvailableConfig@v1": change("searchVisibility"),
    "get_ValidateSAMLEmailsConfig@v1": read("validateSAMLemails"),
    "get_DigitalSignaturesConfig@v1": read("digitalSignatures"),
    "get_ValidateSAMLEmailsConfig-respelled": read("validateSAMLemails"),

    "get-all-feature-configs-for-team": async ({ actor, params }) => {
      const { team } = await readTeam(deps, params.tid, { userId: actor.userId });
      return { body: byFeature((name) => toFeatureView(effectiveFeature(name, team, settings))) };
    },
  };
}

/** First version in which end-to-end identity needs a proxy for revocation lists. */
const crlProxySince = 6;

/**
 * Change a feature of the acting user's team.
 *
 * @throws ApiError `mls-e2eid-missing-crl-proxy`, `not-a-team-member`, `operation-denied`, `feature-locked`, and those of
 *   the feature's rule
 * @see operation `put_AppLockConfigB`, and likewise for other features
 */
async function changeOwnFeature(
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
