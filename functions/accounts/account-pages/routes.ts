import { formHeaders } from "#shared/platform/html/form-origin.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

const common = {
  auth: "none",
  isForBrowsersOnly: true,
  headers: formHeaders,
  errorFormat: "page",
  errors: ["jwt-error"],
} as const satisfies Partial<Route>;

const page = {
  ...common,
  method: "GET",
  responseHeaders: { Location: "The page for logging in", "Set-Cookie": "How far the browser has come" },
  responses: { 200: pageBody, 303: null },
} as const satisfies Partial<Route>;

const form = {
  ...common,
  method: "POST",
  bodyFormat: "form",
  description: "303 leads to the page that says what became of it.",
  responseHeaders: { Location: "The next page", "Set-Cookie": "How far the browser has come" },
  responses: { 303: null },
  errors: ["jwt-error", "not-found", "suspended", "no-identity"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "get-account-page": {
    ...page,
    path: "/account/profile",
    summary: "Show the page on which users look after their account",
    query: schemas.profileQuery,
    description:
      "Asks to log in first. The session is these pages’ own: it ends after `setAccountPageSessionSecs`, is one of " +
      "the user’s cookies, and gives access to nothing else.",
  },
  "post-account-login": {
    ...form,
    path: "/account/login",
    audit: "session.started",
    pausedBy: "password-login",
    summary: "Log in with the form on the page",
    body: schemas.logInForm,
  },
  "post-account-code": {
    ...form,
    path: "/account/code",
    audit: "session.started",
    summary: "Send a second-factor code with the form on the page",
    body: schemas.codeForm,
  },
  "post-account-company": {
    ...form,
    path: "/account/company",
    audit: unaudited.preparation,
    summary: "Begin a login through the company with the form on the page",
    description: "303 leads to `auth-req`, or back to the page if the company is unknown.",
    body: schemas.companyForm,
  },
  "get-account-company": {
    ...common,
    method: "GET",
    path: "/account/company",
    audit: "session.started",
    summary: "Come back from a login through the company",
    description:
      "Begins the session of the browser that has begun the login: the proof names its session, so links do nothing.",
    query: schemas.companyReturn,
    refusesHead: true,
    responseHeaders: { Location: "The page of the profile", "Set-Cookie": "How far the browser has come" },
    responses: { 303: null },
    errors: ["jwt-error", "not-found", "suspended", "no-identity"],
  },
  "post-account-logout": {
    ...form,
    path: "/account/logout",
    audit: "session.ended",
    summary: "Log out with the form on the page",
    body: schemas.plainForm,
  },
  "post-account-name": {
    ...form,
    path: "/account/name",
    audit: "account.profile-changed",
    summary: "Change the name with the form on the page",
    body: schemas.nameForm,
  },
  "post-account-handle": {
    ...form,
    path: "/account/handle",
    audit: "account.handle-changed",
    summary: "Change the handle with the form on the page",
    body: schemas.handleForm,
  },
  "post-account-language": {
    ...form,
    path: "/account/language",
    audit: "account.profile-changed",
    summary: "Change the language with the form on the page",
    body: schemas.languageForm,
  },
  "get-account-security-page": {
    ...page,
    path: "/account/security",
    summary: "Show the page with password and second factor",
  },
  "post-account-password": {
    ...form,
    path: "/account/password",
    audit: "account.password-changed",
    summary: "Change the password with the form on the page",
    body: schemas.passwordForm,
  },
  "get-account-sessions-page": {
    ...page,
    path: "/account/sessions",
    summary: "Show the page with the sessions of the user",
  },
  "post-account-sessions": {
    ...form,
    path: "/account/sessions",
    audit: "session.revoked",
    summary: "End one session or all with the form on the page",
    body: schemas.sessionsForm,
  },
  "get-account-apps-page": {
    ...page,
    path: "/account/apps",
    summary: "Show the page with the apps that have access",
  },
  "post-account-apps": {
    ...form,
    path: "/account/apps",
    audit: "app.revoked",
    summary: "Revoke an app’s access with the form on the page",
    body: schemas.appForm,
  },
  "get-account-deletion-page": {
    ...page,
    path: "/account/deletion",
    summary: "Show the page that deletes the account",
  },
  "post-account-deletion": {
    ...form,
    path: "/account/deletion",
    audit: "account.deleted",
    summary: "Delete the account with the form on the page",
    body: schemas.deletionForm,
  },
});
