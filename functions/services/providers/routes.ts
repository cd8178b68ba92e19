import * as z from "zod";
import { email, queryAddress } from "#shared/accounts/account-types.ts";
import { codeRequests } from "#shared/codes/code.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { typedText } from "#shared/platform/html/typed-fields.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { providerFields, providerId, providerView } from "#shared/services/provider-view.ts";
import { noSecondFactorByDefault } from "#shared/services/second-factor-guard.ts";
import { routes as ownPages } from "./own-pages/routes.ts";

const { name, url, description } = providerFields;
const shortestPassword = 6;
const newPassword = z.string().min(shortestPassword).max(1024).meta({ description: "The password to set" });

export const isNewPassword = (text: string): boolean => newPassword.safeParse(text).success;
/** A password that no provider can have counts as wrong, not as malformed; the same holds for the address. */
const currentPassword = z.string().meta({ description: "The current password" });

/** A wrong length makes a wrong code, not a malformed request. */
const code = z.string().meta({ description: "Code from the mail" });
const key = z.string().min(1).max(128).meta({ description: "Key from the mail, which names the address" });

const newProvider = z
  .object({
    name,
    email,
    url,
    description,
    password: newPassword.optional().meta({ description: "Absent: one is generated" }),
  })
  .meta({
    id: "NewProvider",
    examples: [
      {
        name: "Acme",
        email: "bots@example.com",
        url: "https://bots.example.com",
        description: "Bots for everybody",
        password: "correct horse battery",
      },
    ],
  });

const registered = z
  .object({
    id: providerId,
    password: z
      .string()
      .min(8)
      .max(1024)
      .optional()
      .meta({ description: "The generated password, if none was sent; it is never shown again" }),
  })
  .meta({ id: "NewProviderResponse" });

const redemption = z.object({ key, code });

/** Absent in a 204, when the address was active already. */
const activated = z
  .object({ email })
  .meta({ id: "ProviderEmail", examples: [{ email: "bots@example.com" }] });

const login = z.object({ email: z.string(), password: currentPassword }).meta({
  id: "ProviderLogin",
  examples: [{ email: "bots@example.com", password: "correct horse battery" }],
});

const providerUpdate = z
  .object({ name: name.optional(), url: url.optional(), description: description.optional() })
  .meta({
    id: "UpdateProvider",
    description: "Absent fields stay as they are",
    examples: [{ name: "Acme Bots" }],
  });

const emailUpdate = z
  .object({ email })
  .meta({ id: "ProviderEmail", examples: [{ email: "bots@example.com" }] });

const passwordChange = z.object({ old_password: currentPassword, new_password: newPassword }).meta({
  id: "ProviderPasswordChange",
  examples: [{ old_password: "correct horse battery", new_password: "staple correct horse" }],
});

const passwordReset = z
  .object({ email })
  .meta({ id: "ProviderEmail", examples: [{ email: "bots@example.com" }] });

const completeReset = z.object({ key, code, password: newPassword }).meta({
  id: "CompleteProviderPasswordReset",
  examples: [{ key: "k3yFromTheMail123456", code: "c0deFromTheMail12345", password: "staple correct horse" }],
});

const deletion = z
  .object({ password: currentPassword })
  .meta({ id: "ProviderPassword", examples: [{ password: "correct horse battery" }] });

const codeQuery = z.object({ email: queryAddress });

const pendingCode = z.object({ key, code }).meta({ id: "PendingProviderCode" });

/** Why the form is shown again. */
const resetProblem = z.enum(["short-password", "same-password"]);
export type ResetProblem = z.infer<typeof resetProblem>;

const resetLink = redemption.extend({
  problem: resetProblem.optional().catch(undefined).meta({ description: "Why the form is shown again" }),
});

const resetForm = redemption.extend({ password: typedText });

const closed = { requires: [noSecondFactorByDefault] } as const;
const open = { ...closed, auth: "none" } as const;
const own = { ...closed, auth: "provider" } as const;
const page = { ...open, errorFormat: "page", headers: browserHeaders } as const;

const operations = defineRoutes({
  "provider-register": {
    ...open,
    method: "POST",
    audit: "provider.registered",
    path: "/provider/register",
    pausedBy: "registration",
    summary: "Register a provider of services",
    description:
      "Sends an activation code, which is valid for a day. Until then, the provider can do nothing.",
    body: newProvider,
    responses: { 201: registered },
    errors: ["invalid-email", "provider-email-exists", "too-many-requests"],
  },
  "provider-activate": {
    audit: "provider.activated",
    ...open,
    method: "GET",
    path: "/provider/activate",
    summary: "Confirm the address of a provider with the key and code of its mail",
    description:
      "The first address activates the provider; a later one replaces the address. 204 when the provider has the " +
      "address already. Mails link to `get-provider-activation-page` instead, which asks first.",
    query: redemption,
    refusesHead: true,
    responses: { 200: activated, 204: null },
    errors: ["provider-code-rejected", "provider-email-exists"],
  },
  "get-provider-activation-page": {
    ...page,
    method: "GET",
    path: "/provider/activate/confirm",
    summary: "Show the page that a mail with an activation code of a provider links to",
    description: "Asks whether to confirm the address, and changes nothing.",
    query: redemption,
    responses: { 200: pageBody },
    errors: [],
  },
  "post-provider-activation": {
    ...page,
    method: "POST",
    audit: "provider.activated",
    path: "/provider/activate/confirm",
    summary: "Confirm the address of a provider with the form on the page",
    body: redemption,
    bodyFormat: "form",
    responses: { 200: pageBody },
    errors: ["provider-code-rejected", "provider-email-exists"],
  },
  "provider-login": {
    ...open,
    method: "POST",
    audit: "provider.logged-in",
    path: "/provider/login",
    pausedBy: "password-login",
    summary: "Log in as a provider",
    description: "Sets a cookie with a token that cannot be renewed: log in again when it expires.",
    body: login,
    responses: { 200: null },
    responseHeaders: {
      "Set-Cookie": "The cookie `zprovider`, HttpOnly and for paths below `/provider` only, with its expiry.",
    },
    errors: ["provider-login-failed", "too-many-requests"],
  },
  "provider-password-reset": {
    ...open,
    method: "POST",
    audit: unaudited.preparation,
    path: "/provider/password-reset",
    summary: "Send a password reset code to a provider",
    description: "The code is valid for an hour; while one is pending, no other is sent.",
    body: passwordReset,
    responses: { 201: null },
    limitByNetwork: codeRequests,
    errors: ["invalid-email", "provider-login-failed", "code-exists"],
  },
  "provider-password-reset-complete": {
    ...open,
    method: "POST",
    audit: "provider.changed",
    path: "/provider/password-reset/complete",
    summary: "Set a new password of a provider with a reset code",
    body: completeReset,
    responses: { 200: null },
    errors: ["provider-code-rejected", "password-must-differ"],
  },
  "get-provider-reset-page": {
    ...page,
    method: "GET",
    path: "/provider/password-reset/confirm",
    summary: "Show the page that a mail with a reset code of a provider links to",
    description: "Asks for the new password, and changes nothing.",
    query: resetLink,
    responses: { 200: pageBody },
    errors: [],
  },
  "post-provider-reset": {
    ...page,
    method: "POST",
    audit: "provider.changed",
    path: "/provider/password-reset/confirm",
    summary: "Set a new password of a provider with the form on the page",
    description: "303 leads back to the form when it must be filled in again.",
    body: resetForm,
    bodyFormat: "form",
    responseHeaders: { Location: "The page with the form" },
    responses: { 200: pageBody, 303: null },
    errors: ["provider-code-rejected"],
  },
  "provider-get-account": {
    ...own,
    method: "GET",
    path: "/provider",
    summary: "Get your account as a provider",
    responses: { 200: providerView },
    errors: ["provider-not-found"],
  },
  "provider-update": {
    ...own,
    method: "PUT",
    audit: "provider.changed",
    path: "/provider",
    summary: "Change name, web site or description of your account as a provider",
    body: providerUpdate,
    responses: { 200: null },
    errors: ["invalid-provider"],
  },
  "provider-update-email": {
    ...own,
    method: "PUT",
    audit: "provider.changed",
    path: "/provider/email",
    summary: "Change the address of your account as a provider",
    description:
      "Sends an activation code to the new address. Until `provider-activate` has received it, the old address " +
      "stays. A change of the password voids the code.",
    body: emailUpdate,
    responses: { 202: null },
    limitByNetwork: codeRequests,
    errors: ["invalid-email", "invalid-provider", "provider-email-exists"],
  },
  "provider-update-password": {
    ...own,
    method: "PUT",
    audit: "provider.changed",
    path: "/provider/password",
    summary: "Change the password of your account as a provider",
    description: "Tokens stay valid until they expire.",
    body: passwordChange,
    responses: { 200: null },
    errors: ["provider-login-failed", "password-must-differ", "too-many-requests"],
  },
  "provider-delete": {
    ...own,
    method: "DELETE",
    audit: "provider.deleted",
    path: "/provider",
    summary: "Delete your account as a provider, and all its services",
    description:
      "The account ends immediately; its services leave all conversations in the background. The address is free " +
      "when they have.",
    body: deletion,
    responses: { 200: null },
    errors: ["invalid-provider", "provider-login-failed", "too-many-requests"],
  },
  "i-get-provider-activation-code": {
    auth: "internal",
    method: "GET",
    audit: { reads: "secret.read" },
    path: "/i/provider/activation-code",
    summary: "Look up the pending activation of a provider's address",
    query: codeQuery,
    responses: { 200: pendingCode },
    errors: ["invalid-email", "no-provider-code"],
  },
  "i-get-provider-password-reset-code": {
    auth: "internal",
    method: "GET",
    audit: { reads: "secret.read" },
    path: "/i/provider/password-reset-code",
    summary: "Look up the pending password reset of a provider",
    query: codeQuery,
    responses: { 200: pendingCode },
    errors: ["invalid-email", "no-provider-code"],
  },
});

export const routes = { ...operations, ...ownPages };
