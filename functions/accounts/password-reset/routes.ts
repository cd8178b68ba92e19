import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { addressQuery } from "#shared/accounts/account-types.ts";
import { codeRequests } from "#shared/codes/code.ts";
import { formHeaders } from "#shared/platform/html/form-origin.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { typedCode, typedText } from "#shared/platform/html/typed-fields.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

const requestReset = z
  .object({ email: accountTypes.email.optional(), phone: accountTypes.phone.optional() })
  .refine(accountTypes.hasOneAddress, accountTypes.oneAddressNeeded)
  .meta({
    id: "NewPasswordReset",
    description: "Exactly one of `email` and `phone`",
    examples: [{ email: "ada@example.com" }],
  });

const codeAndPassword = z.object({ code: accountTypes.verificationCode, password: accountTypes.newPassword });

const completeReset = codeAndPassword
  .extend({
    key: accountTypes.codeKey.optional(),
    email: accountTypes.email.optional(),
    phone: accountTypes.phone.optional(),
  })
  .refine(
    ({ key, email, phone }) => [key, email, phone].filter((field) => field !== undefined).length === 1,
    {
      message: "exactly one of key, email and phone is needed",
    },
  )
  .meta({
    id: "CompletePasswordReset",
    description: "With exactly one of `key`, `email` and `phone`",
    examples: [{ email: "ada@example.com", code: "123456", password: "another horse battery" }],
  });

const completeResetByKey = codeAndPassword.meta({
  id: "PasswordReset",
  examples: [{ code: "123456", password: "another horse battery" }],
});

const keyPath = z.object({ key: accountTypes.codeKey });

const pendingReset = z
  .object({ key: accountTypes.codeKey, code: accountTypes.verificationCode })
  .meta({ id: "PendingPasswordReset" });

/** Why the form must be filled in again. */
const resetProblem = z.enum([
  "invalid-address",
  "too-many-attempts",
  "wrong-code",
  "short-password",
  "same-password",
  "dead-link",
]);
export type ResetProblem = z.infer<typeof resetProblem>;

const problemQuery = z.object({
  problem: resetProblem.optional().meta({ description: "Why the form must be filled in again" }),
});

/** The link in a mail has both; without them, the page asks for address and code. */
const completionQuery = problemQuery.extend({
  key: accountTypes.codeKey.optional().meta({ description: "Key from the mail" }),
  code: z.string().max(64).optional().meta({ description: "Code from the mail" }),
});

const address = z.string().min(1).meta({ description: "Email address, or phone number in E.164 form" });

const requestForm = z.object({ address });

const typedReset = z.object({
  code: typedCode,
  password: typedText,
});

/** Fields of the page that a link opened, or of the one that asks for address and code. */
const completionForm = z.union([
  typedReset.extend({ key: accountTypes.codeKey }),
  typedReset.extend({ address }),
]);

interface ResetByKey {
  readonly params: z.output<typeof keyPath>;
  readonly body: z.output<typeof completeResetByKey>;
}

const page = {
  method: "GET",
  auth: "none",
  isForBrowsersOnly: true,
  headers: formHeaders,
  errorFormat: "page",
} as const;
const form = {
  ...page,
  method: "POST",
  bodyFormat: "form",
  responses: { 303: null },
  responseHeaders: { Location: "The next page", "Set-Cookie": "The address, for the next page" },
} as const;

export const routes = defineRoutes({
  "post-password-reset": {
    method: "POST",
    audit: unaudited.preparation,
    path: "/password-reset",
    auth: "none",
    summary: "Send a password reset code",
    description:
      "The code has six digits and is valid for 10 minutes and three attempts. An account can have one " +
      "pending reset: up to version 5 a second request is 409, later it is 201 and sends nothing. The " +
      "answer is the same for an address that nobody has.",
    body: requestReset,
    responses: { 201: null },
    limitByNetwork: codeRequests,
    errors: ["invalid-email", "invalid-phone", "code-exists"],
  },
  "post-password-reset-complete": {
    method: "POST",
    audit: "account.password-reset",
    path: "/password-reset/complete",
    auth: "none",
    summary: "Set a new password with a reset code",
    description:
      "Revokes all cookies of the user. The new password must differ from the current one. With the `key` of the " +
      "mail, the code has three attempts that strangers cannot use up.",
    body: completeReset,
    responses: { 200: null },
    errors: ["invalid-email", "invalid-phone", "reset-code-rejected", "password-must-differ"],
    olderForms: {
      "post-password-reset-key-deprecated": {
        until: 7,
        path: "/password-reset/{key}",
        endsInSecret: true,
        summary: "Set a new password with a reset code and the key in the path",
        description: "Works like `post-password-reset-complete`.",
        params: keyPath,
        body: completeResetByKey,
        errors: ["reset-code-rejected", "password-must-differ"],
        request: ({ params, body }: ResetByKey) => ({ body: { ...body, key: params.key } }),
      },
    },
  },
  "get-password-reset-page": {
    ...page,
    path: "/password-reset/page/request",
    summary: "Show the page that asks for a password reset code",
    query: problemQuery,
    responses: { 200: pageBody },
    errors: [],
  },
  "post-password-reset-request": {
    ...form,
    audit: unaudited.preparation,
    path: "/password-reset/page/request",
    summary: "Send a password reset code with the form on the page",
    description:
      "303 leads to the page for the code, whether or not anybody has the address; or back if the form must be filled in again.",
    body: requestForm,
    limitByNetwork: codeRequests,
    errors: [],
  },
  "get-password-reset-completion-page": {
    ...page,
    path: "/password-reset/page/complete",
    summary: "Show the page that asks for a password reset code and the new password",
    description:
      "Mails link to it, with key and code: then the new password is enough. It never uses up the code, because mail " +
      "scanners open links.",
    query: completionQuery,
    responses: { 200: pageBody },
    errors: [],
  },
  "post-password-reset-completion": {
    ...form,
    audit: "account.password-reset",
    path: "/password-reset/page/complete",
    summary: "Set a new password with the form on the page",
    description:
      "Works like `post-password-reset-complete`. 303 leads back when the form must be filled in again.",
    body: completionForm,
    errors: [],
  },
  "get-password-reset-done-page": {
    ...page,
    path: "/password-reset/page/done",
    summary: "Show the page after a password reset",
    responses: { 200: pageBody },
    errors: [],
  },
  "i-get-password-reset-code": {
    method: "GET",
    audit: { reads: "secret.read" },
    path: "/i/users/password-reset-code",
    auth: "internal",
    summary: "Look up the pending password reset of an email address or phone number",
    query: addressQuery,
    responses: { 200: pendingReset },
    errors: ["invalid-email", "invalid-phone", "no-password-reset"],
  },
});
