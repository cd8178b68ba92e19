import { oauthEnabled } from "#shared/oauth/oauth-enabled.ts";
import { openIdEnabled } from "#shared/oauth/open-id-enabled.ts";
import { formHeaders } from "#shared/platform/html/form-origin.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

const step = {
  method: "POST",
  auth: "none",
  query: schemas.authorizationRequest,
  headers: formHeaders,
  bodyFormat: "form",
  responseHeaders: { Location: "The next page", "Set-Cookie": "How far the browser has come" },
  responses: { 303: null },
  errorFormat: "page",
  requires: [oauthEnabled],
  errors: ["not-found", "redirect-url-mismatch", "jwt-error"],
} as const satisfies Partial<Route>;

const endSession = {
  path: "/authorize/end-session",
  auth: "none",
  headers: formHeaders,
  errorFormat: "page",
  requires: [openIdEnabled],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "get-authorize": {
    method: "GET",
    audit: "app.authorized",
    path: "/authorize",
    auth: "none",
    summary: "Show the page on which a user decides what an app may do",
    description:
      "Apps send the browser here (RFC 6749 §4.1.1). The page asks the user to log in, then for consent. " +
      "With a valid access token, the request itself counts as consent and redirects to the app without a " +
      "page; with HEAD it does not. Once app and redirect URL are known, the app learns by a redirect what is wrong (RFC 6749 §4.1.2.1).",
    responseHeaders: {
      Location:
        "Redirect URL of the app with `code`, `state` and `iss`; or with `error`, `error_description`, `state` and `iss`",
      "Set-Cookie": "How far the browser has come",
    },
    query: schemas.authorizationRequest,
    headers: formHeaders,
    responses: { 200: pageBody, 302: null },
    errorFormat: "page",
    requires: [oauthEnabled],
    errors: ["not-found", "redirect-url-mismatch", "unauthenticated", "token-class-forbidden", "jwt-error"],
  },
  "post-authorize": {
    method: "POST",
    audit: unaudited.preparation,
    path: "/authorize",
    auth: "none",
    summary: "Send an authorization request as a form",
    description: "Leads to the same request by GET (OpenID Connect Core §3.1.2.1).",
    body: schemas.postedRequest,
    bodyFormat: "form",
    responseHeaders: { Location: "The page" },
    responses: { 303: null },
    errorFormat: "page",
    requires: [openIdEnabled],
    errors: [],
  },
  "get-end-session": {
    ...endSession,
    method: "GET",
    audit: unaudited.preparation,
    summary: "Log out of the pages for an app",
    description:
      "Apps send the browser here (OpenID Connect RP-Initiated Logout). Without an id token of the person who is logged in, " +
      "the page asks. What apps have been granted stays.",
    query: schemas.endSessionRequest,
    responseHeaders: { Location: "The app, with `state`", "Set-Cookie": "Ends the session" },
    responses: { 200: pageBody, 302: null },
    errors: ["redirect-url-mismatch", "jwt-error"],
  },
  "post-end-session": {
    ...endSession,
    method: "POST",
    audit: unaudited.preparation,
    summary: "Send a request to log out as a form",
    description: "Leads to the same request by GET.",
    body: schemas.postedEndSession,
    bodyFormat: "form",
    responseHeaders: { Location: "The page" },
    responses: { 303: null },
    errors: [],
  },
  "post-end-session-confirmation": {
    ...endSession,
    method: "POST",
    audit: unaudited.preparation,
    path: "/authorize/end-session/confirmation",
    summary: "Confirm with the form on the page that you want to log out",
    query: schemas.endSessionRequest,
    body: schemas.plainForm,
    bodyFormat: "form",
    responseHeaders: { Location: "The page", "Set-Cookie": "Ends the session" },
    responses: { 303: null },
    errors: ["redirect-url-mismatch", "jwt-error"],
  },
  "post-authorize-login": {
    audit: "session.started",
    ...step,
    path: "/authorize/login",
    pausedBy: "password-login",
    summary: "Log in with the form on the page",
    body: schemas.logInForm,
  },
  "post-authorize-code": {
    audit: unaudited.preparation,
    ...step,
    path: "/authorize/code",
    summary: "Send a second-factor code with the form on the page",
    body: schemas.codeForm,
  },
  "post-authorize-decision": {
    audit: "app.authorized",
    ...step,
    path: "/authorize/decision",
    summary: "Allow or deny an app access with the form on the page",
    description: "302 redirects to the app, 303 to the next page.",
    body: schemas.decisionForm,
    responses: { 302: null, 303: null },
  },
  "post-authorize-logout": {
    audit: unaudited.preparation,
    ...step,
    path: "/authorize/logout",
    summary: "Log out with the form on the page",
    body: schemas.plainForm,
  },
});
