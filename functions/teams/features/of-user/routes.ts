import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import {
  byOperation,
  type FeatureName,
  featureSpec,
  operationOf,
  singleFeatures,
} from "#shared/teams/features/catalogue.ts";
import { featureViews } from "#shared/teams/features/feature-view.ts";
import * as schemas from "../schemas.ts";

const readOwn = (name: FeatureName) =>
  ({
    method: "GET",
    path: `/feature-configs/${name}`,
    until: 1,
    auth: "user",
    summary: `Get the feature ${name} that you have`,
    description: featureSpec(name).meaning,
    responses: { 200: featureViews[name] },
    errors: ["not-found", "no-team"],
  }) as const satisfies Route;
export type SingleRoute = ReturnType<typeof readOwn>;

const singleRoutes = byOperation(
  singleFeatures.map((name) => [`get-own_${operationOf(name)}`, readOwn(name)] as const),
);

const override = {
  path: "/i/users/{uid}/features/conferenceCalling",
  auth: "internal",
  params: schemas.userPath,
  errors: ["not-found"],
} as const satisfies Partial<Route>;

const userRoutes = defineRoutes({
  "get-all-feature-configs-for-user": {
    method: "GET",
    path: "/feature-configs",
    auth: "user",
    scope: "read:feature_configs",
    summary: "Get the features that you have",
    description:
      "Your team's features. Users without a team have the defaults of the server; temporary guests have the feature `mls` " +
      "of a team in whose conversations they are, so that they can join its MLS groups.",
    responses: { 200: schemas.allFeatures },
    errors: ["not-found", "no-team"],
  },
  "i-get-feature-configs": {
    method: "GET",
    path: "/i/feature-configs",
    auth: "internal",
    summary: "Get the features that a user has",
    description: "Without a user: the defaults of the server.",
    query: schemas.userQuery,
    responses: { 200: schemas.allFeatures },
    errors: ["not-found", "no-team"],
  },
  "i-get-user-conference-calling": {
    ...override,
    method: "GET",
    summary: "Get whether a user without a team has conference calls",
    responses: { 200: schemas.featureValue },
  },
  "i-put-user-conference-calling": {
    ...override,
    method: "PUT",
    audit: "team.feature-changed",
    summary: "Decide whether a user without a team has conference calls",
    body: schemas.featureValue,
    responses: { 200: schemas.featureValue },
  },
  "i-delete-user-conference-calling": {
    ...override,
    method: "DELETE",
    audit: "team.feature-changed",
    summary: "Reset conference calls of a user without a team to the default",
    responses: { 200: null },
  },
});

export const routes = { ...userRoutes, ...singleRoutes };
