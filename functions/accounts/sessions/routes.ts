import { codeRequests } from "#shared/codes/code-requests.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { zuidCookie } from "#shared/sessions/cookie-header.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  login: {
    method: "POST",
    audit: "session.started",
    path: "/login",
    auth: "none",
    pausedBy: "password-login",
    summary: "Log in with a password, or with a code sent by SMS",
    description:
      "Returns an access token and sets a cookie, which `access` exchanges for the next access token. " +
      "Where a second factor is required, the password alone is refused with " +
      "`code-authentication-required`: request a code with `send-verification-code`, then log in again " +
      "with it. A user has at most 32 cookies; a further login removes an old one.",
    responseHeaders: { "Set-Cookie": zuidCookie },
    query: schemas.loginQuery,
    body: schemas.login,
    responses: { 200: schemas.accessToken },
    errors: [
      "invalid-credentials",
      "pending-activation",
      "suspended",
      "ephemeral",
      "code-authentication-required",
      "code-authentication-failed",
      "login-budget-exhausted",
      "too-many-requests",
      "cookie-throttled",
    ],
  },
  "send-login-code": {
    method: "POST",
    audit: unaudited.preparation,
    path: "/login/send",
    auth: "none",
    summary: "Send a login code by SMS",
    description:
      "The code has six digits and is valid for one login with `phone` and `code`. While it is pending, " +
      "asking again sends the same one.",
    body: schemas.sendLoginCode,
    responses: { 200: schemas.loginCodeTimeout },
    limitByNetwork: codeRequests,
    errors: ["invalid-phone", "password-exists", "blacklisted-phone"],
  },
  access: {
    method: "POST",
    audit: unaudited.renewal,
    path: "/access",
    auth: "cookie",
    summary: "Exchange a cookie for a new access token",
    description:
      "An access token that you send along may have expired; the new one continues its connection. The " +
      "answer sets a cookie when yours is due for renewal or becomes tied to a device. Browsers must call it " +
      "without a version: the path of the cookie is `/access`.",
    responseHeaders: { "Set-Cookie": zuidCookie },
    query: schemas.accessQuery,
    responses: { 200: schemas.accessToken },
    errors: [
      "missing-cookie",
      "missing-cookie-and-token",
      "unparsable-token",
      "token-expired",
      "invalid-token",
      "token-mismatch",
      "unknown-client",
    ],
  },
  logout: {
    method: "POST",
    audit: "session.ended",
    path: "/access/logout",
    auth: "cookie",
    summary: "Log out",
    description:
      "Revokes the cookie; the access token is required, too. Access tokens stay valid until they expire.",
    responseHeaders: { "Set-Cookie": "Removes the cookie `zuid`" },
    responses: { 200: null },
    errors: [
      "missing-cookie",
      "missing-cookie-and-token",
      "missing-token",
      "unparsable-token",
      "token-expired",
      "invalid-token",
      "token-mismatch",
    ],
  },
  "list-cookies": {
    method: "GET",
    path: "/cookies",
    auth: "user",
    summary: "List your cookies",
    query: schemas.cookiesQuery,
    responses: { 200: schemas.cookieList },
    errors: [],
  },
  "remove-cookies": {
    costs: uncharged.protection,
    method: "POST",
    audit: "session.revoked",
    path: "/cookies/remove",
    auth: "user",
    summary: "Revoke some or all of your cookies",
    description:
      "Only for accounts with an email address and a password. Unknown ids and labels are ignored.",
    body: schemas.removeCookies,
    responses: { 200: null },
    errors: ["invalid-credentials", "login-budget-exhausted", "too-many-requests"],
  },
  "i-sso-login": {
    method: "POST",
    audit: "session.started",
    path: "/i/sso-login",
    auth: "internal",
    summary: "Log in a user whom an identity provider has vouched for",
    responseHeaders: { "Set-Cookie": zuidCookie },
    query: schemas.loginQuery,
    body: schemas.ssoLogin,
    responses: { 200: schemas.accessToken },
    errors: ["invalid-credentials", "pending-activation", "suspended", "ephemeral", "cookie-throttled"],
  },
  "i-legalhold-login": {
    method: "POST",
    audit: "session.started",
    path: "/i/legalhold-login",
    auth: "internal",
    summary: "Log in a legal hold device",
    description:
      "Returns tokens that give access only to what legal hold devices may read. The cookie is always " +
      "persistent.",
    responseHeaders: { "Set-Cookie": zuidCookie },
    query: schemas.loginQuery,
    body: schemas.legalHoldLogin,
    responses: { 200: schemas.accessToken },
    errors: [
      "not-found",
      "missing-auth",
      "invalid-credentials",
      "suspended",
      "pending-activation",
      "login-budget-exhausted",
      "too-many-requests",
      "no-binding-team",
      "legalhold-not-enabled",
    ],
  },
  "i-get-login-code": {
    method: "GET",
    audit: { reads: "secret.read" },
    path: "/i/users/login-code",
    auth: "internal",
    summary: "Look up the pending login code of a phone number",
    query: schemas.phoneQuery,
    responses: { 200: schemas.pendingLogin },
    errors: ["invalid-phone", "no-pending-login"],
  },
});
