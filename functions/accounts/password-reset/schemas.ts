import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";

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
