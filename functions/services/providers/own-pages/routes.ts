import * as z from "zod";
import { codeRequests } from "#shared/codes/code.ts";
import { formHeaders } from "#shared/platform/html/form-origin.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { typedText } from "#shared/platform/html/typed-fields.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { noSecondFactorByDefault } from "#shared/services/second-factor-guard.ts";

/** A field that is left empty is missing in the parsed form. */
const line = z.string().max(2048).default("");

const plainForm = z.object({ form_token: z.string().max(128) });

const outcomeQuery = z.object({
  outcome: z.string().optional().meta({ description: "What the last form did, or why it did nothing" }),
});

const logInForm = z.object({ email: typedText, password: typedText });
const profileForm = plainForm.extend({ name: line, url: line, description: line });
const emailForm = plainForm.extend({ email: line, password: typedText });
const passwordForm = plainForm.extend({ password: typedText, new_password: typedText });
const deletionForm = plainForm.extend({ password: typedText });
const registrationForm = z.object({
  name: line,
  email: typedText,
  url: line,
  description: line,
  password: typedText,
});
const resetForm = z.object({ email: typedText });

const common = {
  auth: "none",
  requires: [noSecondFactorByDefault],
  isForBrowsersOnly: true,
  headers: formHeaders,
  errorFormat: "page",
  errors: [],
} as const satisfies Partial<Route>;
const page = { ...common, method: "GET", query: outcomeQuery, responses: { 200: pageBody } } as const;
const form = {
  ...common,
  method: "POST",
  bodyFormat: "form",
  description: "303 leads to the page that says what became of it.",
  responseHeaders: { Location: "The next page", "Set-Cookie": "The cookie `zprovider`" },
  responses: { 303: null },
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "get-provider-account-page": {
    ...page,
    path: "/provider/page/account",
    summary: "Show the page on which a provider logs in and looks after its account",
  },
  "post-provider-login-form": {
    ...form,
    path: "/provider/page/login",
    audit: "provider.logged-in",
    pausedBy: "password-login",
    summary: "Log in as a provider with the form on the page",
    body: logInForm,
  },
  "post-provider-logout-form": {
    ...form,
    path: "/provider/page/logout",
    audit: unaudited.ownState,
    summary: "Forget the cookie of a provider with the form on the page",
    body: plainForm,
  },
  "post-provider-profile-form": {
    ...form,
    path: "/provider/page/profile",
    audit: "provider.changed",
    summary: "Change name, web site or description of a provider with the form on the page",
    body: profileForm,
    errors: ["invalid-provider"],
  },
  "post-provider-password-form": {
    ...form,
    path: "/provider/page/password",
    audit: "provider.changed",
    summary: "Change the password of a provider with the form on the page",
    body: passwordForm,
  },
  "post-provider-email-form": {
    ...form,
    path: "/provider/page/email",
    audit: "provider.changed",
    summary: "Change the address of a provider with the form on the page",
    description:
      "Sends an activation code to the new address, as `provider-update-email` does, if the password is right. " +
      "303 leads to the page that says what became of it.",
    body: emailForm,
    limitByNetwork: codeRequests,
    errors: ["invalid-provider"],
  },
  "get-provider-deletion-page": {
    ...page,
    path: "/provider/page/deletion",
    summary: "Show the page on which a provider deletes its account",
    description: "303 leads to the page for logging in.",
    responseHeaders: { Location: "The page for logging in" },
    responses: { 200: pageBody, 303: null },
  },
  "post-provider-deletion-form": {
    ...form,
    path: "/provider/page/deletion",
    audit: "provider.deleted",
    summary: "Delete a provider and all its services with the form on the page",
    body: deletionForm,
    errors: ["invalid-provider"],
  },
  "get-provider-registration-page": {
    ...page,
    path: "/provider/page/register",
    summary: "Show the page on which providers register",
  },
  "post-provider-registration-form": {
    ...form,
    path: "/provider/page/register",
    audit: "provider.registered",
    pausedBy: "registration",
    summary: "Register a provider with the form on the page",
    description: "200 is the page again, with what was typed and what is wrong with it.",
    body: registrationForm,
    responses: { 200: pageBody, 303: null },
  },
  "get-provider-reset-request-page": {
    ...page,
    path: "/provider/page/reset",
    summary: "Show the page that asks for a password reset of a provider",
  },
  "post-provider-reset-request-form": {
    ...form,
    path: "/provider/page/reset",
    audit: unaudited.preparation,
    summary: "Send a password reset code to a provider with the form on the page",
    body: resetForm,
    limitByNetwork: codeRequests,
  },
});
