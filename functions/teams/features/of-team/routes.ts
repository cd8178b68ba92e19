import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import {
  byOperation,
  type FeatureName,
  featureNames,
  featureSpec,
  operationOf,
  publicFeatures,
} from "#shared/teams/features/catalogue.ts";
import { featureViews } from "#shared/teams/features/feature-view.ts";
import * as schemas from "../schemas.ts";

const read = (name: FeatureName, spelling: string = name) =>
  ({
    method: "GET",
    path: `/teams/{tid}/features/${spelling}`,
    auth: "user",
    summary: `Get the feature ${name} of your team`,
    description: featureSpec(name).meaning,
    params: schemas.teamPath,
    responses: { 200: featureViews[name] },
    errors: ["not-a-team-member", "no-team"],
  }) as const satisfies Route;

const change = (name: FeatureName, spelling: string = name) =>
  ({
    method: "PUT",
    audit: "team.feature-changed",
    costs: uncharged.bounded,
    path: `/teams/{tid}/features/${spelling}`,
    auth: "user",
    summary: `Change the feature ${name} of your team`,
    description: `${featureSpec(name).meaning}\n\nFor admins and owners, as long as the feature is unlocked.`,
    params: schemas.teamPath,
    body: schemas.featureRequests[name],
    bodyFormat: "json-int64",
    responses: { 200: featureViews[name] },
    errors: [
      "not-a-team-member",
      "operation-denied",
      "no-team",
      "feature-locked",
      ...(featureSpec(name).errors ?? []),
    ],
  }) as const satisfies Route;

export type ReadRoute = ReturnType<typeof read>;
export type ChangeRoute = ReturnType<typeof change>;

/** One row for each feature. */
const readRoutes = byOperation(featureNames.map((name) => [`get_${operationOf(name)}`, read(name)] as const));
const changeRoutes = byOperation(
  publicFeatures.map((name) => [`put_${operationOf(name)}`, change(name)] as const),
);

/** Names of old versions, and names as some clients spell them. */
const respelledRoutes = defineRoutes({
  "get_SearchVisibilityAvailableConfig@v1": { ...read("searchVisibility", "search-visibility"), until: 1 },
  "put_SearchVisibilityAvailableConfig@v1": { ...change("searchVisibility", "search-visibility"), until: 1 },
  "get_ValidateSAMLEmailsConfig@v1": { ...read("validateSAMLemails", "validate-saml-emails"), until: 1 },
  "get_DigitalSignaturesConfig@v1": { ...read("digitalSignatures", "digital-signatures"), until: 1 },
  "get_ValidateSAMLEmailsConfig-respelled": read("validateSAMLemails", "validateSAMLEmails"),
});

const allRoutes = defineRoutes({
  "get-all-feature-configs-for-team": {
    method: "GET",
    path: "/teams/{tid}/features",
    auth: "user",
    summary: "Get the features of your team",
    params: schemas.teamPath,
    responses: { 200: schemas.allFeatures },
    errors: ["not-a-team-member", "no-team"],
  },
});

export const routes = { ...allRoutes, ...readRoutes, ...changeRoutes, ...respelledRoutes };
