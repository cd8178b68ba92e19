import * as z from "zod";
import * as primitives from "#shared/schemas/primitives.ts";

export const requestReset = z
  .object({ email: primitives.email.optional(), phone: primitives.phone.optional() })
  .refine(primitives.hasOneAddress, primitives.oneAddressNeeded)
  .meta({ id: "NewPasswordReset" });

const codeAndPassword = z.object({ code: primitives.verificationCode, password: primitives.newPassword });

export const completeReset = codeAndPassword
  .extend({
    key: primitives.codeKey.optional(),
    email: primitives.email.optional(),
    phone: primitives.phone.optional(),
  })
  .refine(
    ({ key, email, phone }) => [key, email, phone].filter((field) => field !== undefined).length === 1,
    {
      message: "exactly one of key, email and phone is needed",
    },
  )
  .meta({ id: "CompletePasswordReset" });

export const completeResetByKey = codeAndPassword.meta({ id: "PasswordReset" });

export const keyPath = z.object({ key: primitives.codeKey });

export const pendingReset = z
  .object({ key: z.string(), code: z.string() })
  .meta({ id: "PendingPasswordReset" });
