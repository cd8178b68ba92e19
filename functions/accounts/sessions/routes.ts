import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { codeRequests } from "#shared/codes/code.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { zuidCookie } from "#shared/sessions/cookies.ts";

/** Any text, because a malformed address, number or handle simply belongs to nobody. */
const entered = z.string();

/** Either a password with one of email, handle and phone, or a phone number with the code sent to it. */
const login = z
  .object({
    email: entered.optional().meta({ description: "Email address, such as ada@example.com" }),
    phone: entered.optional().meta({ description: "Phone number in E.164 form, such as +4930123456" }),
    handle: entered.optional().meta({ description: "Without `@`" }),
    password: accountTypes.password.optional(),
    code: accountTypes.verificationCode
      .optional()
      .meta({ description: "Code from `send-login-code`, with `phone`" }),
    label: accountTypes.cookieLabel.optional(),
    verification_code: accountTypes.verificationCode.optional().meta({
      description: "Code of the second factor, from `send-verification-code`; needed where one is required",
    }),
  })
  .superRefine(({ email, phone, handle, password, code }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const identities = [email, phone, handle].filter((identity) => identity !== undefined);
    if (identities.length !== 1) refuse("email", "exactly one of email, phone and handle is needed");
    if ((password === undefined) === (code === undefined))
      refuse("password", "either a password or a code is needed");
    if (code !== undefined && phone === undefined) refuse("phone", "required with code");
  })
  .meta({
    id: "Login",
    description: "A password with one of `email`, `phone` and `handle`; or `phone` with `code`",
    examples: [{ email: "ada@example.com", password: "correct horse battery" }],
  });

const ssoLogin = z
  .object({ user: wire.userId, label: accountTypes.cookieLabel.optional() })
  .meta({ id: "SsoLogin", examples: [{ user: "0b3c1a52-9d5e-4a3f-8f0e-2b1d4c5e6f70" }] });

const legalHoldLogin = z
  .object({
    user: wire.userId,
    password: accountTypes.password.optional(),
    label: accountTypes.cookieLabel.optional(),
  })
  .meta({
    id: "LegalHoldLogin",
    examples: [{ user: "0b3c1a52-9d5e-4a3f-8f0e-2b1d4c5e6f70", password: "correct horse battery" }],
  });

const loginQuery = z.object({
  persist: wire.queryFlag.default(false).meta({
    description:
      "Whether the cookie outlives the browser session: it is valid for 56 days and renewed on use, instead of a week",
  }),
});

const accessToken = z
  .object({
    user: z.uuid().meta({ description: "Id of the user who is logged in" }),
    access_token: z.string().meta({ description: "Opaque" }),
    token_type: z.literal("Bearer"),
    expires_in: z.int().meta({ description: "Lifetime of the token in seconds" }),
  })
  .meta({ id: "AccessToken" });

const sendLoginCode = z
  .object({
    phone: accountTypes.phone,
    force: z.boolean().default(true).meta({ description: "False refuses an account that has a password" }),
    voice_call: z
      .boolean()
      .optional()
      .meta({ description: "Ignored: codes are sent as text", deprecated: true }),
  })
  .meta({ id: "SendLoginCode", examples: [{ phone: "+4930123456" }] });

const loginCodeTimeout = z
  .object({ expires_in: z.int().meta({ description: "Lifetime of the code in seconds" }) })
  .meta({ id: "LoginCodeTimeout" });

const accessQuery = z.object({
  client_id: deviceId
    .optional()
    .meta({ description: "Id of one of your devices, to which the cookie is tied from then on" }),
});

const cookieId = z.int().min(0).max(4_294_967_295);

export const cookie = z
  .object({
    id: cookieId,
    type: z
      .enum(["session", "persistent"])
      .meta({ description: "Whether it ends with the browser session, or is renewed on use" }),
    created: wire.utcTime,
    time: wire.utcTime.meta({ description: "Same as `created`", deprecated: true }),
    expires: wire.utcTime,
    label: z.string().nullable().meta({ description: "As given at login or registration" }),
    successor: cookieId.nullable().meta({ description: "Id of the cookie that replaced it" }),
  })
  .meta({ id: "Cookie" });

const cookieList = z.object({ cookies: z.array(cookie) }).meta({ id: "CookieList" });

const cookiesQuery = z.object({
  labels: z.string().optional().meta({ description: "Only cookies with these labels, separated by commas" }),
});

const removeCookies = z
  .object({
    email: entered.optional().meta({ description: "Email address of the account" }),
    password: accountTypes.password,
    labels: z
      .array(z.string().max(256))
      .max(1000)
      .default([])
      .meta({ description: "Revoke the cookies with these labels" }),
    ids: z
      .array(
        z
          .union([cookieId, z.object({ id: cookieId })])
          .transform((entry) => (typeof entry === "number" ? entry : entry.id)),
      )
      .max(1000)
      .default([])
      .meta({
        description: "Revoke the cookies with these ids: bare ids, or whole records from `list-cookies`",
      }),
  })
  .meta({
    id: "RemoveCookies",
    description: "Without `labels` and `ids`, all cookies are revoked",
    examples: [{ password: "correct horse battery", labels: ["laptop"] }],
  });

const phoneQuery = z.object({
  phone: accountTypes.queryAddress.meta({ description: "Phone number in E.164 form" }),
});

const pendingLogin = z
  .object({
    code: accountTypes.verificationCode,
    expires_in: z.int().meta({ description: "Seconds until the code expires" }),
  })
  .meta({ id: "PendingLogin" });

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
    query: loginQuery,
    body: login,
    responses: { 200: accessToken },
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
    body: sendLoginCode,
    responses: { 200: loginCodeTimeout },
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
    query: accessQuery,
    responses: { 200: accessToken },
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
    query: cookiesQuery,
    responses: { 200: cookieList },
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
    body: removeCookies,
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
    query: loginQuery,
    body: ssoLogin,
    responses: { 200: accessToken },
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
    query: loginQuery,
    body: legalHoldLogin,
    responses: { 200: accessToken },
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
    query: phoneQuery,
    responses: { 200: pendingLogin },
    errors: ["invalid-phone", "no-pending-login"],
  },
});
