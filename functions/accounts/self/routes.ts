import { selfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { codeRequests } from "#shared/codes/code-requests.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import * as schemas from "./schemas.ts";

const removalErrors = [
  "no-identity",
  "last-identity",
  "no-password",
  "code-authentication-required",
  "code-authentication-failed",
  "too-many-requests",
  "not-found",
] as const;

export const routes = defineRoutes({
  "get-self": {
    method: "GET",
    path: "/self",
    auth: "user",
    scope: "read:self",
    summary: "Get your profile",
    responses: { 200: selfProfile },
    errors: ["not-found"],
  },
  "delete-self": {
    method: "DELETE",
    path: "/self",
    auth: "user",
    summary: "Delete your account",
    description:
      "With the password, or if there is no verified address to send a code to, the account is deleted " +
      "immediately (200). Otherwise a code for `verify-delete` is sent (202); while it is pending, further " +
      "requests are 403 `pending-delete`, with its remaining seconds in `expires_in`.",
    body: schemas.deleteSelf,
    responses: { 200: null, 202: schemas.deletionTimeout },
    errors: [
      "no-self-delete-for-team-owner",
      "suspended",
      "pending-activation",
      "invalid-credentials",
      "pending-delete",
      "login-budget-exhausted",
      "too-many-requests",
    ],
  },
  "verify-delete": {
    method: "POST",
    path: "/delete",
    errorFormat: "page",
    auth: "none",
    summary: "Delete an account with its deletion code",
    body: schemas.confirmDeletion,
    responses: { 200: null },
    errors: ["deletion-code-rejected", "no-self-delete-for-team-owner"],
  },
  "get-delete-page": {
    method: "GET",
    path: "/delete",
    errorFormat: "page",
    auth: "none",
    summary: "Show the page that a message with a deletion code links to",
    description: "Asks whether to delete the account, and changes nothing.",
    query: schemas.deletionLink,
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: [],
  },
  "post-delete-confirmation": {
    method: "POST",
    path: "/delete/confirm",
    errorFormat: "page",
    auth: "none",
    summary: "Delete an account with the form on the page",
    headers: browserHeaders,
    body: schemas.deletionLink,
    bodyFormat: "form",
    responses: { 200: pageBody },
    errors: ["deletion-code-rejected", "no-self-delete-for-team-owner"],
  },
  "put-self": {
    method: "PUT",
    path: "/self",
    auth: "user",
    summary: "Change your profile",
    description:
      "Your contacts learn of it from `user.update`. The bytes that you can write per day are limited, " +
      "more strictly for an anonymous account.",
    body: schemas.userUpdate,
    responses: { 200: null },
    errors: ["managed-by-scim", "too-many-requests", "not-found"],
  },
  "change-locale": {
    method: "PUT",
    path: "/self/locale",
    auth: "user",
    summary: "Change your locale",
    body: schemas.localeUpdate,
    responses: { 200: null },
    errors: ["managed-by-scim", "too-many-requests", "not-found"],
  },
  "change-handle": {
    method: "PUT",
    path: "/self/handle",
    auth: "user",
    summary: "Change your handle",
    description:
      "A handle belongs to one user at a time; your old one is free immediately. Requires a verified " +
      "email address or phone number.",
    body: schemas.handleUpdate,
    responses: { 200: null },
    errors: [
      "invalid-handle",
      "no-identity",
      "managed-by-scim",
      "handle-exists",
      "too-many-requests",
      "not-found",
    ],
  },
  "change-supported-protocols": {
    method: "PUT",
    path: "/self/supported-protocols",
    since: 5,
    auth: "user",
    summary: "Set the protocols that all your devices support",
    description: "`mls` cannot be removed once it is set.",
    body: schemas.supportedProtocolUpdate,
    responses: { 200: null },
    errors: ["mls-protocol-downgrade", "too-many-requests", "not-found"],
  },
  "check-password-exists": {
    method: "HEAD",
    path: "/self/password",
    auth: "user",
    summary: "Check whether your account has a password",
    description: "200 if it has, 404 if not.",
    responses: { 200: null, 404: null },
    errors: [],
  },
  "change-password": {
    method: "PUT",
    path: "/self/password",
    auth: "user",
    summary: "Change your password",
    description:
      "Replacing a password revokes all cookies, including yours; setting the first one revokes none.",
    body: schemas.passwordChange,
    responses: { 200: null },
    errors: [
      "no-identity",
      "suspended",
      "invalid-credentials",
      "password-must-differ",
      "login-budget-exhausted",
      "too-many-requests",
      "not-found",
    ],
  },
  "change-self-email": {
    method: "PUT",
    path: "/access/self/email",
    auth: "cookie",
    summary: "Change your email address",
    description:
      "Requires both the access token and the cookie. Sends a code to the new address, which replaces " +
      "the old one once `post-activate` receives the code (202). 204 means that the account already has " +
      "the address.",
    body: schemas.emailUpdate,
    responses: { 202: emptyList, 204: null },
    errors: [
      "missing-cookie",
      "missing-cookie-and-token",
      "missing-token",
      "token-expired",
      "invalid-token",
      "token-mismatch",
      "invalid-email",
      "no-identity",
      "managed-by-scim",
      "blacklisted-email",
      "key-exists",
      "condition-failed",
      "domain-blocked-for-registration",
      "allowlist-rejected",
      "too-many-requests",
      "not-found",
    ],
  },
  "update-user-email": {
    method: "PUT",
    path: "/users/{uid}/email",
    auth: "user",
    summary: "Change the email address of a member of your team",
    description:
      "For admins and owners. Sends a code to the new address, which replaces the old one once " +
      "`post-activate` receives the code.",
    params: schemas.userPath,
    body: schemas.emailUpdate,
    responses: { 200: emptyList },
    limitByNetwork: codeRequests,
    errors: [
      "invalid-email",
      "insufficient-permissions",
      "managed-by-scim",
      "blacklisted-email",
      "key-exists",
      "condition-failed",
      "domain-blocked-for-registration",
      "allowlist-rejected",
      "not-found",
    ],
  },
  "remove-email": {
    method: "DELETE",
    path: "/self/email",
    auth: "user",
    summary: "Remove your email address",
    description:
      "Only if you can still log in, with a phone number and a password or through single sign-on. Where a " +
      "second factor is required, its code is needed.",
    body: schemas.identityRemoval,
    responses: { 200: null },
    errors: [...removalErrors, "managed-by-scim"],
  },
  "change-phone": {
    method: "PUT",
    path: "/self/phone",
    auth: "user",
    summary: "Change your phone number",
    description:
      "Sends a code to the new number, which replaces the old one once `post-activate` receives the " +
      "code.",
    body: schemas.phoneUpdate,
    responses: { 202: null },
    limitByNetwork: codeRequests,
    errors: [
      "invalid-phone",
      "no-identity",
      "blacklisted-phone",
      "key-exists",
      "allowlist-rejected",
      "not-found",
    ],
  },
  "remove-phone": {
    method: "DELETE",
    path: "/self/phone",
    auth: "user",
    summary: "Remove your phone number",
    description:
      "Only if you can still log in with an email address and a password. Where a second factor is " +
      "required, its code is needed.",
    body: schemas.identityRemoval,
    responses: { 200: null },
    errors: removalErrors,
  },
  "i-change-self-email": {
    method: "PUT",
    path: "/i/self/email",
    auth: "internal",
    summary: "Change the email address of a user",
    description:
      "202 when the address changes once its code is entered; 204 when it has changed, or the account " +
      "already has it.",
    headers: schemas.namedUser,
    query: schemas.emailActivation,
    body: schemas.emailUpdate,
    responses: { 202: emptyList, 204: null },
    errors: [
      "invalid-email",
      "no-identity",
      "blacklisted-email",
      "key-exists",
      "condition-failed",
      "domain-blocked-for-registration",
      "allowlist-rejected",
      "too-many-requests",
      "not-found",
    ],
  },
});
