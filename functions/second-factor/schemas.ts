import * as z from "zod";
import { secondFactorAction } from "#shared/auth/second-factor.ts";
import * as primitives from "#shared/schemas/primitives.ts";

export const sendVerificationCode = z
  .object({ action: secondFactorAction, email: primitives.email })
  .meta({ id: "SendVerificationCode" });

export const userPath = z.object({ uid: primitives.uuid });

export const codePath = userPath.extend({ action: secondFactorAction });

export const pendingCode = z.string().nullable();

/** Empty for a user without a password. */
export const reauthenticate = z
  .object({
    password: primitives.password.optional(),
    verification_code: primitives.verificationCode.optional(),
    action: secondFactorAction.optional(),
  })
  .meta({ id: "ReAuthUser" });
export type Reauthentication = z.output<typeof reauthenticate>;
