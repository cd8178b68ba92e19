import { oauthEnabled } from "#shared/oauth/oauth-enabled.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

const internalApps = { path: "/i/oauth/clients", auth: "internal" } as const satisfies Partial<Route>;
const internalApp = {
  path: "/i/oauth/clients/{client}",
  auth: "internal",
  params: schemas.appPath,
} as const satisfies Partial<Route>;

const revocation = {
  method: "POST",
  path: "/oauth/revoke",
  auth: "none",
  summary: "Revoke a refresh token",
  description: "Access tokens stay valid until they expire.",
  bodyFormat: "json-or-form",
  responses: { 200: null },
  requires: [oauthEnabled],
  errors: ["not-found", "jwt-error"],
} as const satisfies Partial<Route>;

const tokens = {
  method: "POST",
  audit: unaudited.renewal,
  path: "/oauth/token",
  auth: "none",
  summary: "Exchange an authorization code or a refresh token for tokens",
  description:
    "As in RFC 6749 §4.1.3 and §6. An exchange uses up the code, even if it fails; a refresh uses up the " +
    "refresh token and returns the next one. Errors have the body `Error`, not that of RFC 6749.",
  body: schemas.tokenRequest,
  bodyFormat: "form",
  responses: { 200: schemas.tokens },
  requires: [oauthEnabled],
  errors: ["invalid-grant", "redirect-url-mismatch", "not-found", "jwt-error"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "create-oauth-auth-code": {
    method: "POST",
    audit: "app.authorized",
    path: "/oauth/authorization/codes",
    auth: "user",
    summary: "Create an authorization code for an app",
    description:
      "For clients that show the consent page themselves: calling this is consent. Refusals redirect to " +
      "the app, too, unless the redirect URL is not the registered one.",
    responseHeaders: {
      Location:
        "Redirect URL of the app with `code`, `state` and `iss`; or with `error`, `error_description`, `state` and `iss`",
    },
    body: schemas.codeRequest,
    responses: { 201: null, 400: null, 403: null, 404: null },
    errors: ["redirect-url-mismatch"],
  },
  "create-oauth-access-token": tokens,
  "revoke-oauth-refresh-token": { ...revocation, audit: "app.revoked", body: schemas.revokeRequest },
  "get-oauth-client": {
    method: "GET",
    path: "/oauth/clients/{client}",
    auth: "user",
    summary: "Get the name and redirect URL of an app",
    params: schemas.appPath,
    responses: { 200: schemas.app },
    requires: [oauthEnabled],
    errors: ["not-found"],
  },
  "get-oauth-applications": {
    method: "GET",
    path: "/oauth/applications",
    since: 6,
    auth: "user",
    summary: "List the apps that have access to your account",
    responses: { 200: schemas.applications },
    errors: [],
    olderForms: { "get-oauth-applications-v0": { until: 5, responses: { 200: schemas.applicationsV0 } } },
  },
  "revoke-oauth-account-access-v0": {
    method: "DELETE",
    audit: "app.revoked",
    path: "/oauth/applications/{client}",
    until: 6,
    auth: "user",
    summary: "Revoke an app's access to your account",
    description: "Access tokens stay valid until they expire.",
    params: schemas.appPath,
    responses: { 204: null },
    errors: [],
  },
  "revoke-oauth-account-access": {
    method: "DELETE",
    audit: "app.revoked",
    path: "/oauth/applications/{client}/sessions",
    since: 7,
    auth: "user",
    summary: "Revoke an app's access to your account",
    description: "Requires the password, if the account has one. Access tokens stay valid until they expire.",
    params: schemas.appPath,
    body: schemas.passwordBody,
    responses: { 204: null },
    errors: ["application-access-denied", "login-budget-exhausted", "too-many-requests"],
  },
  "delete-oauth-refresh-token": {
    method: "DELETE",
    audit: "app.revoked",
    path: "/oauth/applications/{client}/sessions/{token}",
    auth: "user",
    summary: "Revoke one refresh token of an app",
    description: "200 even if the token is unknown. Requires the password, if the account has one.",
    params: schemas.sessionPath,
    body: schemas.passwordBody,
    responses: { 200: emptyList },
    errors: ["application-access-denied", "not-found", "login-budget-exhausted", "too-many-requests"],
  },
  "get-oauth-metadata": {
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    auth: "none",
    summary: "Get the metadata of the authorization server",
    description: "OAuth libraries discover all other addresses here (RFC 8414).",
    responses: { 200: schemas.metadata },
    requires: [oauthEnabled],
    errors: [],
  },
  "get-oauth-jwks": {
    method: "GET",
    path: "/oauth/jwks",
    auth: "none",
    summary: "List the public keys that verify access tokens of apps",
    responses: { 200: schemas.jwks },
    requires: [oauthEnabled],
    errors: [],
  },
  "i-create-oauth-client": {
    ...internalApps,
    method: "POST",
    audit: "app.registered",
    summary: "Approve an app",
    description: "The secret is shown only in this answer.",
    body: schemas.newApp,
    responses: { 200: schemas.appCredentials },
    requires: [oauthEnabled],
    errors: [],
  },
  "i-list-oauth-clients": {
    ...internalApps,
    method: "GET",
    summary: "List the apps",
    description: "In the order of their ids. A page may have fewer than requested; the last has no `next`.",
    query: schemas.appsQuery,
    responses: { 200: schemas.appsPage },
    requires: [oauthEnabled],
    errors: [],
  },
  "i-get-oauth-client": {
    ...internalApp,
    method: "GET",
    summary: "Get an app",
    responses: { 200: schemas.app },
    requires: [oauthEnabled],
    errors: ["not-found"],
  },
  "i-update-oauth-client": {
    ...internalApp,
    method: "PUT",
    audit: "app.changed",
    summary: "Change the name and redirect URL of an app",
    body: schemas.newApp,
    responses: { 200: schemas.app },
    requires: [oauthEnabled],
    errors: ["not-found"],
  },
  "i-delete-oauth-client": {
    ...internalApp,
    method: "DELETE",
    audit: "app.deleted",
    summary: "Remove an app",
    description: "Its refresh tokens stop working; access tokens stay valid until they expire.",
    responses: { 200: null },
    requires: [oauthEnabled],
    errors: ["not-found"],
  },
  "i-rotate-oauth-client-secret": {
    method: "POST",
    audit: "app.secret-rotated",
    path: "/i/oauth/clients/{client}/secret",
    auth: "internal",
    summary: "Create a new secret for an app",
    description:
      "The old one stays valid for a while (`setOAuthSecretOverlapSecs`); one from before that ends " +
      "immediately.",
    params: schemas.appPath,
    responses: { 200: schemas.appCredentials },
    requires: [oauthEnabled],
    errors: ["not-found"],
  },
});
