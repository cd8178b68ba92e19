import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { secondFactorAction } from "#shared/accounts/second-factor/second-factor.ts";
import { codeRequests } from "#shared/codes/code.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

const sendVerificationCode = z
  .object({ action: secondFactorAction, email: accountTypes.email })
  .meta({ id: "SendVerificationCode", examples: [{ action: "login", email: "ada@example.com" }] });

const userPath = z.object({ uid: wire.userId });

const codePath = userPath.extend({
  action: secondFactorAction.meta({ description: "The action that the code permits" }),
});

const pendingCode = z.string().nullable().meta({ description: "Null if no code is pending" });

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
const reauthenticate = z
  .object({
    password: accountTypes.password.optional(),
    verification_code: accountTypes.verificationCode.optional(),
    action: secondFactorAction
      .optional()
      .meta({ description: "Also check the second factor for this action, where one is required" }),
  })
  .meta({ id: "ReAuthUser", examples: [{ password: "correct horse battery" }] });
export type Reauthentication = z.output<typeof reauthenticate>;

const limits = {
  path: "/i/users/{uid}/limits",
  auth: "internal",
  params: userPath,
  errors: ["not-found"],
} as const satisfies Partial<Route>;

const reauthentication = {
  path: "/i/users/{uid}/reauthenticate",
  auth: "internal",
  summary: "Check the password and second factor of a user",
  description:
    "200 if they are correct. A user without a password needs none. The POST is for callers that cannot " +
    "send a body with GET.",
  params: userPath,
  body: reauthenticate,
  refusesHead: true,
  responses: { 200: null },
  errors: [
    "suspended",
    "pending-activation",
    "missing-auth",
    "invalid-credentials",
    "code-authentication-required",
    "code-authentication-failed",
    "login-budget-exhausted",
    "too-many-requests",
    "concurrent-change",
  ],
} as const satisfies Omit<Route, "method">;

export const routes = defineRoutes({
  "send-verification-code": {
    method: "POST",
    audit: unaudited.preparation,
    path: "/verification-code/send",
    auth: "none",
    summary: "Send a second-factor code by email",
    description:
      "The code has six digits, is valid for 10 minutes and three attempts, and replaces an earlier " +
      "one. Nothing is sent to somebody who needs no second factor, such as users without a team. The answer is the same for an address " +
      "that nobody has.",
    body: sendVerificationCode,
    responses: { 200: null },
    limitByNetwork: codeRequests,
    errors: ["invalid-email"],
  },
  "i-get-verification-code": {
    method: "GET",
    audit: { reads: "secret.read" },
    path: "/i/users/{uid}/verification-code/{action}",
    auth: "internal",
    summary: "Look up the pending second-factor code of a user",
    params: codePath,
    responses: { 200: pendingCode },
    errors: [],
  },
  "i-delete-verification-codes": {
    method: "DELETE",
    audit: "account.limits-reset",
    path: "/i/users/{uid}/verification-code",
    auth: "internal",
    summary: "Withdraw the pending second-factor codes of a user",
    description:
      "With their wrong attempts and the delay before the next code, so that the user can have a new one sent.",
    params: userPath,
    responses: { 200: null },
    errors: ["not-found"],
  },
  "i-get-user-limits": {
    ...limits,
    method: "GET",
    summary: "List what refuses logins, codes and changes of a user now",
    description:
      "Without the limits of networks, which are shared by everybody there. Of many networks that have tried to log in " +
      "as the user, only the first 200 are looked at.",
    responses: { 200: userLimits },
  },
  "i-reset-user-limits": {
    ...limits,
    method: "DELETE",
    audit: "account.limits-reset",
    summary: "Forget what limits logins, codes and changes of a user",
    description: "Also withdraws pending second-factor and password reset codes.",
    responses: { 200: null },
  },
  "i-reauthenticate": { ...reauthentication, method: "GET" },
  /** For callers and gateways that do not support GET with a body. */
  "i-reauthenticate-post": { ...reauthentication, method: "POST", audit: unaudited.reading },
});
