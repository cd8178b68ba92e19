import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { secondFactorAction } from "#shared/accounts/second-factor/second-factor.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

export const sendVerificationCode = z
  .object({ action: secondFactorAction, email: accountTypes.email })
  .meta({ id: "SendVerificationCode", examples: [{ action: "login", email: "ada@example.com" }] });

export const userPath = z.object({ uid: wire.userId });

export const codePath = userPath.extend({
  action: secondFactorAction.meta({ description: "The action that the code permits" }),
});

export const pendingCode = z.string().nullable().meta({ description: "Null if no code is pending" });

export const userLimits = z
  .object({
    limits: z.array(
      z.object({
        limit: z
          .enum(["logins", "password-checks", "second-factor-codes", "password-reset-codes", "writes"])
          .meta({
            description:
              "`logins` with an identity, from a network or from everywhere; `password-checks` within sessions; " +
              "another code by mail; `writes`: what the user may store in a day (UTC)",
          }),
        identity: z
          .string()
          .optional()
          .meta({ description: "Address, number or handle; absent where the limit is the user's" }),
        network: z.string().optional().meta({ description: "Absent: everywhere" }),
        retry_after_seconds: z.int().meta({ description: "How long it refuses" }),
      }),
    ),
  })
  .meta({ id: "UserLimits" });

/** Empty for a user without a password. */
export const reauthenticate = z
  .object({
    password: accountTypes.password.optional(),
    verification_code: accountTypes.verificationCode.optional(),
    action: secondFactorAction
      .optional()
      .meta({ description: "Also check the second factor for this action, where one is required" }),
  })
  .meta({ id: "ReAuthUser", examples: [{ password: "correct horse battery" }] });
export type Reauthentication = z.output<typeof reauthenticate>;
