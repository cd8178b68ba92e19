import * as z from "zod";
import { companyField, companyProof } from "#shared/accounts/page-login/company-fields.ts";
import { oauthEnabled, openIdEnabled } from "#shared/oauth/oauth-enabled.ts";
import { redirectedState } from "#shared/oauth/redirect-with.ts";
import { formHeaders } from "#shared/platform/html/form-origin.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { typedCode, typedText } from "#shared/platform/html/typed-fields.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

/**
 * A parameter whose absence or value is checked later, so that the redirect can tell the app. An empty one counts as
 * absent (RFC 6749 §3.1).
 */
const optional = (text: z.ZodString) =>
  text.transform((value) => (value === "" ? undefined : value)).optional();
const parameter = (longest: number) => optional(z.string().max(longest));
const state = optional(redirectedState);

const uiLocales = z
  .string()
  .max(256)
  .optional()
  .meta({ description: "Languages for the pages, in order of preference, separated by spaces" });

/** Query of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3); unknown parameters are ignored. */
export const authorizationRequest = z.object({
  client_id: wire.uuid.meta({ description: "Id of the app" }),
  redirect_uri: z
    .string()
    .min(1)
    .max(2048)
    .meta({ description: "The redirect URL of the app, as registered" }),
  response_type: parameter(64).meta({ description: "Required, and `code`" }),
  scope: z.string().max(1024).optional().meta({ description: "Required: scopes, separated by spaces" }),
  state: state.meta({ description: "Required: returned in the redirect" }),
  code_challenge: parameter(1024).meta({
    description: "Required: SHA-256 of the code verifier in base64url without padding (RFC 7636 §4.2)",
  }),
  code_challenge_method: parameter(64).meta({ description: "Required, and `S256`" }),
  ui_locales: uiLocales,
  nonce: parameter(1024).meta({ description: "With the scope `openid`: returned in the id token" }),
  prompt: parameter(64).meta({
    description:
      "With the scope `openid`: `none` answers without a page, or with `login_required` or `consent_required`; " +
      "`login` asks for the password again. The consent page covers `consent` and `select_account`",
  }),
  max_age: parameter(16).meta({
    description:
      "With the scope `openid`: seconds since the last login after which the person has to log in again",
  }),
  login_hint: parameter(320).meta({ description: "With the scope `openid`: filled in where people log in" }),
  id_token_hint: parameter(4096).meta({
    description: "With the scope `openid`: an id token of the person who is expected",
  }),
  request: parameter(4096).meta({ description: "Refused with the scope `openid`" }),
  request_uri: parameter(2048).meta({ description: "Refused with the scope `openid`" }),
  /** Only valid in the exchange of the code. */
  code_verifier: z
    .string()
    .optional()
    .meta({ description: "Refused: it belongs only to the exchange of the code" }),
});
export type AuthorizationRequest = z.output<typeof authorizationRequest>;

const formToken = z.string().max(128).meta({ description: "Hidden field of the page with the form" });

export const logInForm = z.object({
  form_token: formToken,
  identity: typedText.meta({ description: "Email address, phone number or handle" }),
  password: typedText,
});

const companyForm = z.object({ form_token: formToken, company: companyField });

const companyReturn = authorizationRequest.extend({ proof: companyProof });

export const codeForm = z.object({ form_token: formToken, code: typedCode });

export const decisionForm = z.object({ form_token: formToken, decision: z.enum(["allow", "deny"]) });

/** An authorization request as a form, which OpenID Connect also has (Core §3.1.2.1). */
const postedRequest = authorizationRequest.meta({
  id: "AuthorizationRequestForm",
  examples: [
    {
      client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f",
      redirect_uri: "https://app.example.com/callback",
      response_type: "code",
      scope: "openid profile",
      state: "xcoiv98y2kd22vusuye3kch",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    },
  ],
});

/** Query of a logout that an app asks for (OpenID Connect RP-Initiated Logout §2). */
export const endSessionRequest = z.object({
  id_token_hint: parameter(4096).meta({
    description: "The last id token of the person, expired or not: without it, the page asks",
  }),
  client_id: wire.uuid.optional().meta({ description: "Id of the app; not needed with `id_token_hint`" }),
  post_logout_redirect_uri: parameter(2048).meta({
    description: "Where to go then: a redirect URL of the app, as registered",
  }),
  state: state.meta({ description: "Returned in the redirect" }),
  ui_locales: uiLocales,
});
export type EndSessionRequest = z.output<typeof endSessionRequest>;

const postedEndSession = endSessionRequest.meta({
  id: "EndSessionRequestForm",
  examples: [{ client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f" }],
});

export const plainForm = z.object({ form_token: formToken });

const step = {
  method: "POST",
  auth: "none",
  query: authorizationRequest,
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
    query: authorizationRequest,
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
    body: postedRequest,
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
    audit: "session.ended",
    summary: "Log out of the pages for an app",
    description:
      "Apps send the browser here (OpenID Connect RP-Initiated Logout). Without an id token of the person who is logged in, " +
      "the page asks. What apps have been granted stays.",
    query: endSessionRequest,
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
    body: postedEndSession,
    bodyFormat: "form",
    responseHeaders: { Location: "The page" },
    responses: { 303: null },
    errors: [],
  },
  "post-end-session-confirmation": {
    ...endSession,
    method: "POST",
    audit: "session.ended",
    path: "/authorize/end-session/confirmation",
    summary: "Confirm with the form on the page that you want to log out",
    query: endSessionRequest,
    body: plainForm,
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
    body: logInForm,
  },
  "post-authorize-company": {
    audit: unaudited.preparation,
    ...step,
    path: "/authorize/company",
    summary: "Begin a login through the company with the form on the page",
    description: "303 leads to `auth-req`, or back to the page if the company is unknown.",
    body: companyForm,
  },
  "get-authorize-company": {
    method: "GET",
    audit: unaudited.preparation,
    path: "/authorize/company",
    auth: "none",
    summary: "Come back from a login through the company",
    description:
      "Only in the browser that has begun the login: the proof names its session, so links do nothing.",
    query: companyReturn,
    refusesHead: true,
    responseHeaders: { Location: "The page", "Set-Cookie": "How far the browser has come" },
    responses: { 303: null },
    errorFormat: "page",
    requires: [oauthEnabled],
    errors: ["not-found", "redirect-url-mismatch", "jwt-error"],
  },
  "post-authorize-code": {
    audit: unaudited.preparation,
    ...step,
    path: "/authorize/code",
    summary: "Send a second-factor code with the form on the page",
    body: codeForm,
  },
  "post-authorize-decision": {
    audit: "app.authorized",
    ...step,
    path: "/authorize/decision",
    summary: "Allow or deny an app access with the form on the page",
    description: "302 redirects to the app, 303 to the next page.",
    body: decisionForm,
    responses: { 302: null, 303: null },
  },
  "post-authorize-logout": {
    audit: unaudited.preparation,
    ...step,
    path: "/authorize/logout",
    summary: "Log out with the form on the page",
    body: plainForm,
  },
});
