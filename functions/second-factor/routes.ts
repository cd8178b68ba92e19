import { defineRoutes, type Route } from "#shared/http/route.ts";
import * as schemas from "./schemas.ts";

const reauthentication = {
  path: "/i/users/{uid}/reauthenticate",
  auth: "internal",
  summary: "Check password and second factor of a user",
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
    path: "/verification-code/send",
    auth: "none",
    summary: "Send a code for the second factor by e-mail, where one is required",
    body: schemas.sendVerificationCode,
    responses: { 200: null },
    errors: ["invalid-email", "too-many-requests"],
  },
  "i-get-verification-code": {
    method: "GET",
    path: "/i/users/{uid}/verification-code/{action}",
    auth: "internal",
    summary: "Look up a pending second-factor code",
    params: schemas.codePath,
    responses: { 200: schemas.pendingCode },
    errors: [],
  },
  "i-reauthenticate": { ...reauthentication, method: "GET" },
  /** For callers and gateways that know no GET with a body. */
  "i-reauthenticate-post": { ...reauthentication, method: "POST" },
});
