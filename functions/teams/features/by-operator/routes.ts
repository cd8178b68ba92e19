import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import {
  byOperation,
  type FeatureName,
  featureNames,
  featureSpec,
  lockableFeatures,
  operationOf,
  operatorFeatures,
} from "#shared/teams/features/catalogue.ts";
import { featureViews } from "#shared/teams/features/feature-view.ts";
import * as schemas from "../schemas.ts";

const common = (spelling: string) =>
  ({
    path: `/i/teams/{tid}/features/${spelling}` as string,
    auth: "internal",
    params: schemas.teamPath,
  }) as const satisfies Partial<Route>;

const ownErrors = (name: FeatureName) => featureSpec(name).errors ?? [];

const read = (name: FeatureName, spelling: string = name) =>
  ({
    ...common(spelling),
    method: "GET",
    audit: unaudited.impersonal,
    summary: `Get the feature ${name} of a team`,
    description: featureSpec(name).meaning,
    responses: { 200: featureViews[name] },
    errors: ["no-team"],
  }) as const satisfies Route;

const change = (name: FeatureName, spelling: string = name) =>
  ({
    ...common(spelling),
    method: "PUT",
    audit: "team.feature-changed",
    summary: `Change the feature ${name} of a team`,
    description: `${featureSpec(name).meaning}\n\nSubject to the same rules as a change by an admin of the team: refused while the feature is locked.`,
    body: schemas.featureRequests[name],
    bodyFormat: "json-int64",
    responses: { 200: featureViews[name] },
    errors: ["no-team", "feature-locked", ...ownErrors(name)],
  }) as const satisfies Route;

const patch = (name: FeatureName) =>
  ({
    ...common(name),
    method: "PATCH",
    audit: "team.feature-changed",
    summary: `Change parts of the feature ${name} of a team, or its lock`,
    description: `${featureSpec(name).meaning}\n\nWorks even while the feature is locked.`,
    body: schemas.featurePatches[name],
    bodyFormat: "json-int64",
    responses: { 200: featureViews[name] },
    errors: ["no-team", ...ownErrors(name)],
  }) as const satisfies Route;

const lock = (name: FeatureName, word: "locked" | "unlocked") =>
  ({
    ...common(`${name}/${word}`),
    method: "PUT",
    audit: "team.feature-changed",
    summary: `${word === "locked" ? "Lock" : "Unlock"} the feature ${name} of a team`,
    description: "Decides whether admins of the team may change the feature. Sends no event.",
    responses: { 200: schemas.featureLock },
    errors: ["no-team"],
  }) as const satisfies Route;

export type ReadRoute = ReturnType<typeof read>;
export type ChangeRoute = ReturnType<typeof change>;
export type PatchRoute = ReturnType<typeof patch>;
export type LockRoute = ReturnType<typeof lock>;

/** One row for each feature. */
const readRoutes = byOperation(
  featureNames.map((name) => [`i-get_${operationOf(name)}`, read(name)] as const),
);
const changeRoutes = byOperation(
  operatorFeatures.map((name) => [`i-put_${operationOf(name)}`, change(name)] as const),
);
const patchRoutes = byOperation(
  operatorFeatures.map((name) => [`i-patch_${operationOf(name)}`, patch(name)] as const),
);
const lockRoutes = byOperation(
  lockableFeatures.map((name) => [`i-lock_${operationOf(name)}`, lock(name, "locked")] as const),
);
const unlockRoutes = byOperation(
  lockableFeatures.map((name) => [`i-unlock_${operationOf(name)}`, lock(name, "unlocked")] as const),
);

/** Other names and paths for some of these routes. */
const respelledRoutes = defineRoutes({
  "i-get_SearchVisibilityInboundConfig-dashed": read("searchVisibilityInbound", "search-visibility-inbound"),
  "i-put_SearchVisibilityInboundConfig-dashed": change(
    "searchVisibilityInbound",
    "search-visibility-inbound",
  ),
  // The interface lists it among the public paths, although only internal callers may use it.
  "i-put_SSOConfig-public": { ...change("sso"), path: "/teams/{tid}/features/sso" },
});

export const routes = {
  ...readRoutes,
  ...changeRoutes,
  ...patchRoutes,
  ...lockRoutes,
  ...unlockRoutes,
  ...respelledRoutes,
};
