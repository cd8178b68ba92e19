import * as z from "zod";
import { cookieLabel } from "#shared/accounts/account-types.ts";
import { maxOrderLength } from "#shared/accounts/page-login/company-login.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { zuidCookie } from "#shared/sessions/cookies.ts";

const providerPath = z.object({
  idp: wire.uuid.meta({ description: "Id of the identity provider: the login code without its prefix" }),
});
const teamPath = z.object({ team: wire.uuid.meta({ description: "Id of the team" }) });

/** Without a limit on its length: `url-too-long` reports that. */
const redirect = z.string().min(1);

const loginQuery = z.object({
  success_redirect: redirect.optional().meta({
    description: "Where an app gets the cookie and the user id, instead of `$cookie` and `$userid`",
  }),
  error_redirect: redirect.optional().meta({
    description: "Where an app gets the reason of a failed login, instead of `$label`",
  }),
  label: cookieLabel.optional(),
  order: z
    .string()
    .max(maxOrderLength)
    .optional()
    .meta({ description: "From one of our pages, to which the browser then returns" }),
});

const setByBrowser = z.string().optional().meta({ setBy: "browser" });
/** Headers in which browsers describe a request (Fetch Metadata; speculation rules of HTML). */
const startHeaders = browserHeaders.extend({
  "Sec-Fetch-Dest": setByBrowser,
  "Sec-Fetch-Mode": setByBrowser,
  "Sec-Fetch-Site": setByBrowser,
  "Sec-Purpose": setByBrowser,
  Purpose: setByBrowser,
});
export type StartHeaders = z.output<typeof startHeaders>;

/** Optional, because a missing field is answered with a page. */
const loginResponse = z
  .object({ SAMLResponse: z.string().optional().meta({ description: "Base64 of the response" }) })
  .default({})
  .meta({ id: "SamlResponseForm", examples: [{ SAMLResponse: "PHNhbWxwOlJlc3BvbnNlLi4uPg==" }] });

const reasons = z.array(z.string()).optional();

const start = {
  path: "/sso/initiate-login/{idp}",
  auth: "none",
  params: providerPath,
  query: loginQuery,
  errorFormat: "own",
} as const satisfies Partial<Route>;

const startErrors = ["need-both-redirect-urls", "invalid-schema", "url-too-long", "not-found"] as const;

const finish = {
  method: "POST",
  auth: "none",
  headers: browserHeaders,
  body: loginResponse,
  bodyFormat: "form-or-multipart",
  // The largest response in base64, percent-encoded in a form.
  bodyLimit: 2 * 1024 * 1024,
  responseHeaders: {
    Location:
      "Address of the app; or the start of a new login, instead of one started by the identity provider",
    "Set-Cookie": zuidCookie,
  },
  responses: { 200: pageBody, 303: reasons },
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
    headers: startHeaders,
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
    params: teamPath,
  },
});
