import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { typedCode, typedText } from "#shared/platform/html/typed-fields.ts";

export const requestReset = z
  .object({ email: accountTypes.email.optional(), phone: accountTypes.phone.optional() })
  .refine(accountTypes.hasOneAddress, accountTypes.oneAddressNeeded)
  .meta({
    id: "NewPasswordReset",
    description: "Exactly one of `email` and `phone`",
    examples: [{ email: "ada@example.com" }],
  });

const codeAndPassword = z.object({ code: accountTypes.verificationCode, password: accountTypes.newPassword });

export const completeReset = codeAndPassword
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

export const completeResetByKey = codeAndPassword.meta({
  id: "PasswordReset",
  examples: [{ code: "123456", password: "another horse battery" }],
});

export const keyPath = z.object({ key: accountTypes.codeKey });

export const pendingReset = z
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

export const problemQuery = z.object({
  problem: resetProblem.optional().meta({ description: "Why the form must be filled in again" }),
});

/** The link in a mail has both; without them, the page asks for address and code. */
export const completionQuery = problemQuery.extend({
  key: accountTypes.codeKey.optional().meta({ description: "Key from the mail" }),
  code: z.string().max(64).optional().meta({ description: "Code from the mail" }),
});

const address = z.string().min(1).meta({ description: "Email address, or phone number in E.164 form" });

export const requestForm = z.object({ address });

const typedReset = z.object({
  code: typedCode,
  password: typedText,
});

/** Fields of the page that a link opened, or of the one that asks for address and code. */
export const completionForm = z.union([
  typedReset.extend({ key: accountTypes.codeKey }),
  typedReset.extend({ address }),
]);
