import * as z from "zod";
import { supportedProtocols } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { accentId, newAssets, newOldPicture, textStatus } from "#shared/accounts/profiles/profile-fields.ts";
import { selfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { codeRequests } from "#shared/codes/code.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";

const userUpdate = z
  .object({
    name: z.string().min(1).max(128).optional(),
    text_status: textStatus.nullish().meta({
      description: "Short text about what the user is doing; null changes nothing",
    }),
    picture: newOldPicture.optional(),
    accent_id: accentId.optional(),
    assets: newAssets.optional(),
  })
  .meta({
    id: "UserUpdate",
    description: "Absent fields stay as they are",
    examples: [{ name: "Ada Lovelace", accent_id: 3 }],
  });

const localeUpdate = z.object({ locale: accountTypes.locale }).meta({
  id: "LocaleUpdate",
  examples: [{ locale: "de-CH" }],
});

const handleUpdate = z
  .object({
    handle: z.string().meta({
      description:
        "2 to 256 of `a`–`z`, `0`–`9`, `_`, `.`, `-`, with a letter or digit, and no reserved word",
    }),
  })
  .meta({ id: "HandleUpdate", examples: [{ handle: "ada.lovelace" }] });

const supportedProtocolUpdate = z
  .object({ supported_protocols: supportedProtocols })
  .meta({ id: "SupportedProtocolUpdate", examples: [{ supported_protocols: ["proteus", "mls"] }] });

const passwordChange = z
  .object({
    old_password: accountTypes.password
      .optional()
      .meta({ description: "The current password; absent if there is none" }),
    new_password: accountTypes.newPassword,
  })
  .meta({
    id: "PasswordChange",
    examples: [{ old_password: "correct horse battery", new_password: "another horse battery" }],
  });

const userPath = z.object({ uid: wire.userId });

const emailUpdate = z.object({ email: accountTypes.email }).meta({
  id: "EmailUpdate",
  examples: [{ email: "ada.lovelace@example.com" }],
});

const phoneUpdate = z.object({ phone: accountTypes.phone }).meta({
  id: "PhoneUpdate",
  examples: [{ phone: "+4930123456" }],
});

const identityRemoval = z
  .object({
    verification_code: accountTypes.verificationCode
      .optional()
      .meta({ description: "Second-factor code for `login`, where one is required" }),
  })
  .meta({ id: "IdentityRemoval", examples: [{ verification_code: "123456" }] })
  .optional();

const emailActivation = z.object({
  email_activation: z.enum(["send_activation_email", "auto_activate"]).optional().meta({
    description: "Whether a code must confirm the address, which is the default, or it changes immediately",
  }),
  activate: wire.queryFlag
    .default(false)
    .meta({ description: "Older form of `email_activation`: true is `auto_activate`", deprecated: true }),
  validate: wire.queryFlag
    .optional()
    .meta({ description: "Has no effect: a code is the default", deprecated: true }),
});

const namedUser = z.object({ "Z-User": wire.userId });

const deleteSelf = z
  .object({ password: accountTypes.password.optional() })
  .meta({ id: "PasswordConfirmation", examples: [{ password: "correct horse battery" }] });

const deletionTimeout = z
  .object({ expires_in: z.int32().meta({ description: "Lifetime of the code in seconds" }) })
  .meta({ id: "DeletionCodeTimeout" });

/** Query of the link in the message. */
const deletionLink = z.object({
  key: accountTypes.codeKey.meta({ description: "Opaque key from the message" }),
  code: z.string().meta({ description: "Code from the message" }),
});
const confirmDeletion = deletionLink.meta({
  id: "VerifyDeleteUser",
  examples: [{ key: "M2vY8rQm0bXk5TzN1cWs", code: "qYk3v9Wb7mXe2LsZ4tRn" }],
});

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
    audit: "account.deleted",
    path: "/self",
    auth: "user",
    summary: "Delete your account",
    description:
      "With the password, or if there is no verified address to send a code to, the account is deleted " +
      "immediately (200). Otherwise a code for `verify-delete` is sent (202); while it is pending, further " +
      "requests are 403 `pending-delete`, with its remaining seconds in `expires_in`.",
    body: deleteSelf,
    responses: { 200: null, 202: deletionTimeout },
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
    audit: "account.deleted",
    path: "/delete",
    errorFormat: "page",
    auth: "none",
    summary: "Delete an account with its deletion code",
    body: confirmDeletion,
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
    query: deletionLink,
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: [],
  },
  "post-delete-confirmation": {
    method: "POST",
    audit: "account.deleted",
    path: "/delete/confirm",
    errorFormat: "page",
    auth: "none",
    summary: "Delete an account with the form on the page",
    headers: browserHeaders,
    body: confirmDeletion,
    bodyFormat: "form",
    responses: { 200: pageBody },
    errors: ["deletion-code-rejected", "no-self-delete-for-team-owner"],
  },
  "put-self": {
    costs: uncharged.itself,
    method: "PUT",
    audit: "account.profile-changed",
    path: "/self",
    auth: "user",
    summary: "Change your profile",
    description:
      "Your contacts learn of it from `user.update`. The bytes that you can write per day are limited, " +
      "more strictly for an anonymous account.",
    body: userUpdate,
    responses: { 200: null },
    errors: ["managed-by-scim", "too-many-requests", "not-found"],
  },
  "change-locale": {
    costs: uncharged.itself,
    method: "PUT",
    audit: "account.profile-changed",
    path: "/self/locale",
    auth: "user",
    summary: "Change your locale",
    body: localeUpdate,
    responses: { 200: null },
    errors: ["managed-by-scim", "too-many-requests", "not-found"],
  },
  "change-handle": {
    costs: uncharged.itself,
    method: "PUT",
    audit: "account.handle-changed",
    path: "/self/handle",
    auth: "user",
    summary: "Change your handle",
    description:
      "A handle belongs to one user at a time; your old one is free immediately. Requires a verified " +
      "email address or phone number.",
    body: handleUpdate,
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
    costs: uncharged.itself,
    method: "PUT",
    audit: "account.profile-changed",
    path: "/self/supported-protocols",
    since: 5,
    auth: "user",
    summary: "Set the protocols that all your devices support",
    description: "`mls` cannot be removed once it is set.",
    body: supportedProtocolUpdate,
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
    costs: uncharged.protection,
    method: "PUT",
    audit: "account.password-changed",
    path: "/self/password",
    auth: "user",
    summary: "Change your password",
    description:
      "Replacing a password revokes all cookies, including yours; setting the first one revokes none.",
    body: passwordChange,
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
    audit: "account.address-changed",
    path: "/access/self/email",
    auth: "cookie",
    summary: "Change your email address",
    description:
      "Requires both the access token and the cookie. Sends a code to the new address, which replaces " +
      "the old one once `post-activate` receives the code (202). 204 means that the account already has " +
      "the address.",
    body: emailUpdate,
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
    audit: "account.address-changed",
    path: "/users/{uid}/email",
    auth: "user",
    summary: "Change the email address of a member of your team",
    description:
      "For admins and owners. Sends a code to the new address, which replaces the old one once " +
      "`post-activate` receives the code.",
    params: userPath,
    body: emailUpdate,
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
    audit: "account.address-removed",
    path: "/self/email",
    auth: "user",
    summary: "Remove your email address",
    description:
      "Only if you can still log in, with a phone number and a password or through single sign-on. Where a " +
      "second factor is required, its code is needed.",
    body: identityRemoval,
    responses: { 200: null },
    errors: [...removalErrors, "managed-by-scim"],
  },
  "change-phone": {
    method: "PUT",
    audit: "account.address-changed",
    path: "/self/phone",
    auth: "user",
    summary: "Change your phone number",
    description:
      "Sends a code to the new number, which replaces the old one once `post-activate` receives the " +
      "code.",
    body: phoneUpdate,
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
    audit: "account.address-removed",
    path: "/self/phone",
    auth: "user",
    summary: "Remove your phone number",
    description:
      "Only if you can still log in with an email address and a password. Where a second factor is " +
      "required, its code is needed.",
    body: identityRemoval,
    responses: { 200: null },
    errors: removalErrors,
  },
  "i-change-self-email": {
    method: "PUT",
    audit: "account.address-changed",
    path: "/i/self/email",
    auth: "internal",
    summary: "Change the email address of a user",
    description:
      "202 when the address changes once its code is entered; 204 when it has changed, or the account " +
      "already has it.",
    headers: namedUser,
    query: emailActivation,
    body: emailUpdate,
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
