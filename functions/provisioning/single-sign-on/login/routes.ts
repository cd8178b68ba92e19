import { pageBody } from "#shared/platform/html/page.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { zuidCookie } from "#shared/sessions/cookie-header.ts";
import * as schemas from "./schemas.ts";

const start = {
  path: "/sso/initiate-login/{idp}",
  auth: "none",
  params: schemas.providerPath,
  query: schemas.loginQuery,
  errorFormat: "own",
} as const satisfies Partial<Route>;

const startErrors = ["need-both-redirect-urls", "invalid-schema", "url-too-long", "not-found"] as const;

const finish = {
  method: "POST",
  auth: "none",
  headers: schemas.browserHeaders,
  body: schemas.loginResponse,
  bodyFormat: "form-or-multipart",
  // The largest response in base64, percent-encoded in a form.
  bodyLimit: 2 * 1024 * 1024,
  responseHeaders: {
    Location:
      "Address of the app; or the start of a new login, instead of one started by the identity provider",
    "Set-Cookie": zuidCookie,
  },
  responses: { 200: pageBody, 303: schemas.reasons },
  errorFormat: "own",
  errors: [
    "bad-response-saml",
    "bad-response-xml",
    "bad-response-issuers",
    "not-found",
    "idp-non-unique",
    "cannot-mix-idp-api-versions",
    "invalid-certificate",
    "bad-response-signature",
    "ttl-error",
    "login-request-gone",
    "bad-success-redirect",
    "bad-failure-redirect",
    "too-many-requests",
  ],
} as const satisfies Partial<Route>;

const finishDescription =
  "A page tells the result in its title, `…:sso:success` or `…:sso:error:<label>`, and to the window that " +
  "has opened it. An app that has named its addresses gets a redirect there, with 303. An unusable " +
  "response is answered with an error page.";

export const routes = defineRoutes({
  "auth-req-precheck": {
    ...start,
    method: "HEAD",
    summary: "Check that a login through an identity provider can be started",
    responses: { 200: null },
    errors: startErrors,
  },
  "auth-req": {
    ...start,
    method: "GET",
    summary: "Start a login through an identity provider",
    description:
      "Browsers come here. The page posts a request to the identity provider, which posts its response to " +
      "`auth-resp`. An app names two addresses of its own, to which it is redirected with the result.",
    headers: schemas.startHeaders,
    responses: { 200: pageBody },
    errors: ["login-not-opened", ...startErrors, "too-many-requests"],
  },
  "auth-resp-legacy": {
    audit: "session.started",
    ...finish,
    path: "/sso/finalize-login",
    summary: "Finish a login through an identity provider of version 1",
    description: finishDescription,
  },
  "auth-resp": {
    audit: "session.started",
    ...finish,
    path: "/sso/finalize-login/{team}",
    summary: "Finish a login through an identity provider of a team",
    description: finishDescription,
    params: schemas.teamPath,
  },
});
