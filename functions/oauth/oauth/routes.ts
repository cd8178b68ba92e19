import { oauthEnabled } from "#shared/oauth/oauth-enabled.ts";
import { openIdEnabled } from "#shared/oauth/open-id-enabled.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
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
  description:
    "Access tokens stay valid until they expire. Id and secret of the app may also come by HTTP Basic.",
  bodyFormat: "json-or-form",
  responses: { 200: null },
  responseHeaders: { "WWW-Authenticate": "With 401: credentials by HTTP Basic are wrong" },
  errorFormat: "oauth",
  requires: [oauthEnabled],
  errors: [
    "unknown-app",
    "wrong-app-secret",
    "invalid-client",
    "unusable-grant",
    "unsupported-token-type",
    "jwt-error",
  ],
} as const satisfies Partial<Route>;

const tokens = {
  method: "POST",
  audit: unaudited.renewal,
  path: "/oauth/token",
  auth: "none",
  summary: "Exchange an authorization code or a refresh token for tokens",
  description:
    "As in RFC 6749 §4.1.3 and §6. An exchange uses up the code, even if it fails; a refresh uses up the " +
    "refresh token and returns the next one. Id and secret of the app come in the body or by HTTP Basic. " +
    "Errors have the fields of RFC 6749 §5.2 and those of every error.",
  body: schemas.tokenRequest,
  bodyFormat: "form",
  responses: { 200: schemas.tokens },
  responseHeaders: { "WWW-Authenticate": "With 401: credentials by HTTP Basic are wrong" },
  errorFormat: "oauth",
  requires: [oauthEnabled],
  errors: [
    "invalid-grant",
    "unknown-code",
    "unknown-app",
    "wrong-app-secret",
    "invalid-client",
    "unusable-grant",
    "unsupported-grant-type",
    "redirect-url-mismatch",
    "jwt-error",
  ],
} as const satisfies Partial<Route>;

const userInfo = {
  path: "/oauth/userinfo",
  auth: "user",
  scope: "openid",
  summary: "Get who has signed in to an app",
  responses: { 200: schemas.userInfo },
  requires: [openIdEnabled],
  errors: ["not-found"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "create-oauth-auth-code": {
    costs: uncharged.bounded,
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
  "get-openid-configuration": {
    method: "GET",
    path: "/.well-known/openid-configuration",
    auth: "none",
    summary: "Get the metadata for signing in to apps",
    description: "OpenID Connect libraries discover all other addresses here.",
    responses: { 200: schemas.openIdConfiguration },
    requires: [openIdEnabled],
    errors: [],
  },
  "get-oauth-userinfo": {
    ...userInfo,
    method: "GET",
    description: "The claims that the scopes of the app's token allow (OpenID Connect Core §5.3).",
  },
  "post-oauth-userinfo": {
    ...userInfo,
    method: "POST",
    audit: unaudited.reading,
    costs: uncharged.bounded,
    description: "The same as GET: libraries may use either.",
  },
  "introspect-oauth-token": {
    method: "POST",
    audit: unaudited.reading,
    path: "/oauth/introspect",
    auth: "none",
    summary: "Ask whether a token of an app is valid",
    description:
      "For the app itself, with its secret, as in RFC 7662. Tokens of others are not active. An access token whose " +
      "refresh token was revoked is active until it expires, as it is for this service.",
    body: schemas.introspectionRequest,
    bodyFormat: "form",
    responses: { 200: schemas.introspection },
    responseHeaders: {
      "WWW-Authenticate": "With 401: credentials are missing, or those by HTTP Basic are wrong",
    },
    errorFormat: "oauth",
    requires: [openIdEnabled],
    errors: ["unknown-app", "wrong-app-secret", "invalid-client", "jwt-error"],
  },
  "i-revoke-oauth-account-access": {
    method: "DELETE",
    audit: "app.revoked",
    path: "/i/users/{uid}/oauth/applications/{client}",
    auth: "internal",
    summary: "Revoke an app's access to the account of a user",
    description: "204 even if it has none. Access tokens stay valid until they expire.",
    params: schemas.grantPath,
    responses: { 204: null },
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
    summary: "Change the name and the redirect URLs of an app",
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
