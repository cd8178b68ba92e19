import { defineRoutes } from "#shared/platform/http/route.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { toTokenListV0 } from "./older-token-views.ts";
import * as schemas from "./schemas.ts";

const tokens = {
  path: "/scim/auth-tokens",
  auth: "user",
  withoutUser: "user-missing",
  errors: ["not-a-team-member", "insufficient-permissions"],
} as const;

const creation = {
  ...tokens,
  method: "POST",
  summary: "Create a token for a directory",
  description:
    "For owners of the team, who must give their password if they have one, and a code where a second " +
    "factor is required. The token does not expire and is valid only below `/scim/v2`. Once a team has a " +
    "token, only the directory creates accounts; logging in no longer does.",
  errors: [
    ...tokens.errors,
    "access-denied",
    "code-authentication-required",
    "code-authentication-failed",
    "login-budget-exhausted",
    "too-many-requests",
    "token-limit-reached",
    "not-found",
  ],
} as const;

export const routes = defineRoutes({
  "auth-tokens-create": {
    costs: uncharged.bounded,
    audit: "provisioning-token.created",
    ...creation,
    since: 8,
    body: schemas.newToken,
    responses: { 201: schemas.createdToken },
  },
  "auth-tokens-create-v0": {
    costs: uncharged.bounded,
    audit: "provisioning-token.created",
    ...creation,
    until: 7,
    body: schemas.newTokenV0,
    responses: { 201: schemas.createdTokenV0 },
    errors: [...creation.errors, "more-than-one-idp"],
  },
  "auth-tokens-list": {
    ...tokens,
    method: "GET",
    since: 8,
    summary: "List the tokens of your team's directories",
    responses: { 200: schemas.tokenList },
    olderForms: {
      "auth-tokens-list-v0": {
        until: 7,
        responses: { 200: schemas.tokenListV0 },
        answer: { 200: toTokenListV0 },
      },
    },
  },
  "auth-tokens-put-name": {
    costs: uncharged.bounded,
    ...tokens,
    method: "PUT",
    audit: "provisioning-token.changed",
    path: "/scim/auth-tokens/{id}",
    since: 8,
    summary: "Rename a token",
    description: "An unknown id changes nothing.",
    params: schemas.tokenPath,
    body: schemas.tokenName,
    responses: { 200: emptyList },
  },
  "auth-tokens-delete": {
    ...tokens,
    method: "DELETE",
    audit: "provisioning-token.deleted",
    summary: "Revoke a token",
    description: "The token is refused from then on. Users provisioned with it stay.",
    query: schemas.tokenQuery,
    responses: { 204: null },
  },
});
