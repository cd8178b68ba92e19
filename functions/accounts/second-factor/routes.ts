import { codeRequests } from "#shared/codes/code-requests.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

const limits = {
  path: "/i/users/{uid}/limits",
  auth: "internal",
  params: schemas.userPath,
  errors: ["not-found"],
} as const satisfies Partial<Route>;

const reauthentication = {
  path: "/i/users/{uid}/reauthenticate",
  auth: "internal",
  summary: "Check the password and second factor of a user",
  description:
    "200 if they are correct. A user without a password needs none. The POST is for callers that cannot " +
    "send a body with GET.",
  params: schemas.userPath,
  body: schemas.reauthenticate,
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
    body: schemas.sendVerificationCode,
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
    params: schemas.codePath,
    responses: { 200: schemas.pendingCode },
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
    params: schemas.userPath,
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
    responses: { 200: schemas.userLimits },
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
