import { oauthEnabled } from "#shared/oauth/oauth-enabled.ts";
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
