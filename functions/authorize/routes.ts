import { pageBody } from "#shared/html/page.ts";
import { defineRoutes, type Route } from "#shared/http/route.ts";
import * as schemas from "./schemas.ts";

const step = {
  method: "POST",
  auth: "none",
  query: schemas.authorizationRequest,
  headers: schemas.browserHeaders,
  bodyFormat: "form",
  responses: { 303: null },
  errors: ["forbidden", "not-found", "redirect-url-mismatch", "jwt-error"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "get-authorize": {
    method: "GET",
    path: "/authorize",
    auth: "none",
    summary: "Let a person decide what an app may do (RFC 6749 §4.1.1); with an access token, agree at once",
    query: schemas.authorizationRequest,
    headers: schemas.browserHeaders,
    responses: { 200: pageBody, 302: null },
    errors: [
      "forbidden",
      "not-found",
      "redirect-url-mismatch",
      "unauthenticated",
      "token-class-forbidden",
      "jwt-error",
    ],
  },
  "post-authorize-login": {
    ...step,
    path: "/authorize/login",
    summary: "Form: log in on the authorization pages",
    body: schemas.logInForm,
  },
  "post-authorize-code": {
    ...step,
    path: "/authorize/code",
    summary: "Form: give the second factor on the authorization pages",
    body: schemas.codeForm,
  },
  "post-authorize-decision": {
    ...step,
    path: "/authorize/decision",
    summary: "Form: allow the app what it asks for, or not",
    body: schemas.decisionForm,
    responses: { 302: null, 303: null },
  },
  "post-authorize-logout": {
    ...step,
    path: "/authorize/logout",
    summary: "Form: forget who is logged in on the authorization pages",
    body: schemas.plainForm,
  },
});
