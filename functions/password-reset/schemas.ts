import * as z from "zod";
import * as wire from "#shared/schemas/primitives.ts";

export const requestReset = z
  .object({ email: wire.email.optional(), phone: wire.phone.optional() })
  .refine(wire.hasOneAddress, wire.oneAddressNeeded)
  .meta({ id: "NewPasswordReset" });

const codeAndPassword = z.object({ code: wire.verificationCode, password: wire.newPassword });

export const completeReset = codeAndPassword
  .extend({ key: wire.codeKey.optional(), email: wire.email.optional(), phone: wire.phone.optional() })
  .refine(
    ({ key, email, phone }) => [key, email, phone].filter((field) => field !== undefined).length === 1,
    {
      message: "exactly one of key, email and phone is needed",
    },
  )
  .meta({ id: "CompletePasswordReset" });

export const completeResetByKey = codeAndPassword.meta({ id: "PasswordReset" });

export const keyPath = z.object({ key: wire.codeKey });

export const pendingReset = z
  .object({ key: z.string(), code: z.string() })
  .meta({ id: "PendingPasswordReset" });
