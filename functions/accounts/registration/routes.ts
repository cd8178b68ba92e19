import { addressQuery } from "#shared/accounts/account-types.ts";
import { selfProfile, selfProfiles } from "#shared/accounts/profiles/self-profile.ts";
import { codeRequests } from "#shared/codes/code-requests.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { zuidCookie } from "#shared/sessions/cookie-header.ts";
import { routes as joining } from "./joining/routes.ts";
import * as schemas from "./schemas.ts";

const registrationErrors = [
  "allowlist-rejected",
  "domain-blocked-for-registration",
  "invalid-email",
  "invalid-phone",
  "key-exists",
  "blacklisted-email",
  "blacklisted-phone",
  "missing-identity",
  "invalid-invitation-code",
  "no-team",
  "too-many-team-members",
  "too-many-members-for-legalhold",
  "condition-failed",
  "too-many-requests",
  "activation-code-rejected",
] as const;

const ownRoutes = defineRoutes({
  "post-activate-send": {
    method: "POST",
    audit: unaudited.preparation,
    path: "/activate/send",
    auth: "none",
    summary: "Send an activation code to an email address or phone number",
    description:
      "The code has six digits and allows three attempts. Asking again sends the same code, with its " +
      "remaining attempts. Use it as `email_code` or `phone_code` of `register`, or to activate an account " +
      "that is waiting for it.",
    body: schemas.sendActivationCode,
    responses: { 200: null },
    limitByNetwork: codeRequests,
    errors: [
      "allowlist-rejected",
      "domain-blocked-for-registration",
      "key-exists",
      "blacklisted-email",
      "blacklisted-phone",
      "invalid-email",
      "invalid-phone",
    ],
  },
  "post-activate": {
    method: "POST",
    audit: "account.activated",
    path: "/activate",
    auth: "none",
    summary: "Verify an email address or phone number with its code",
    description:
      "200 with the identity when it has just been verified, 204 when it already was, and 200 without a " +
      "body when a dry run finds the code correct. A wrong code costs one of three attempts, even in a dry " +
      "run.",
    body: schemas.activate,
    responses: { 200: schemas.activated, 204: null },
    errors: ["invalid-email", "invalid-phone", "condition-failed", "activation-code-rejected", "key-exists"],
  },
  "get-activate": {
    audit: "account.activated",
    method: "GET",
    path: "/activate",
    auth: "none",
    summary: "Verify an email address with the key and code of its mail",
    description: "Works like `post-activate`. Mails link to `get-activation-page` instead, which asks first.",
    query: schemas.activateByLink,
    refusesHead: true,
    responses: { 200: schemas.activated, 204: null },
    errors: ["condition-failed", "activation-code-rejected", "key-exists"],
  },
  "get-activation-page": {
    method: "GET",
    path: "/activate/confirm",
    errorFormat: "page",
    auth: "none",
    summary: "Show the page that a mail with an activation code links to",
    description: "Asks whether to verify the address, and changes nothing.",
    query: schemas.activateByLink,
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: [],
  },
  "post-activation-confirmation": {
    method: "POST",
    audit: "account.activated",
    path: "/activate/confirm",
    errorFormat: "page",
    auth: "none",
    summary: "Verify an email address with the form on the page",
    headers: browserHeaders,
    body: schemas.activateByLink,
    bodyFormat: "form",
    responses: { 200: pageBody },
    errors: ["condition-failed", "activation-code-rejected", "key-exists"],
  },
  register: {
    method: "POST",
    audit: "account.registered",
    path: "/register",
    auth: "none",
    pausedBy: "registration",
    summary: "Register an account",
    description:
      "Sends an activation code and logs in with a persistent cookie, which `access` exchanges for an " +
      "access token. With `team`, the user founds a team, which becomes active with the account. " +
      "Until `post-activate` has received the code, the address is not part of the " +
      "profile, and the account can read but not act. The cookie of an anonymous account is never " +
      "renewed, and the account ends at `expires_at`.",
    responseHeaders: { Location: "Id of the new user", "Set-Cookie": zuidCookie },
    body: schemas.newUser,
    responses: { 201: selfProfile },
    errors: ["user-creation-restricted", "ephemeral-user-creation-disabled", ...registrationErrors],
  },
  "i-get-users": {
    method: "GET",
    path: "/i/users",
    auth: "internal",
    summary: "Get accounts by ids, handles, email address or phone number",
    description:
      "Name exactly one of these. Returns accounts of any status, in any order; unknown ones are left " +
      "out.",
    query: schemas.accountsQuery,
    responses: { 200: selfProfiles },
    errors: ["invalid-email", "invalid-phone"],
  },
  "i-create-user": {
    method: "POST",
    audit: "account.registered",
    path: "/i/users",
    auth: "internal",
    summary: "Create an account",
    description:
      "As `register` does, even where the operator allows no registration, under a given id, and without a session. " +
      "An address without its code is sent one.",
    responseHeaders: { Location: "Id of the new user" },
    body: schemas.operatorsNewUser,
    responses: { 201: selfProfile },
    errors: registrationErrors,
  },
  "i-get-activation-code": {
    method: "GET",
    audit: { reads: "secret.read" },
    path: "/i/users/activation-code",
    auth: "internal",
    summary: "Look up the pending activation of an email address or phone number",
    query: addressQuery,
    responses: { 200: schemas.pendingActivation },
    errors: ["invalid-email", "invalid-phone", "no-activation-code"],
  },
});

export const routes = { ...ownRoutes, ...joining };
