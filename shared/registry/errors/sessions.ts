import { defineErrors } from "./define-errors.ts";

/** Errors of logins, access tokens and cookies. */
export const sessionErrors = defineErrors({
  // Clients match these texts: they must not change.
  "invalid-credentials": { status: 403, message: "Authentication failed." },
  "missing-cookie": { status: 403, label: "invalid-credentials", message: "Missing cookie" },
  "missing-cookie-and-token": {
    status: 403,
    label: "invalid-credentials",
    message: "Missing cookie and token",
  },
  "token-expired": { status: 403, label: "invalid-credentials", message: "Token expired" },
  "invalid-token": { status: 403, label: "invalid-credentials", message: "Invalid token" },

  "missing-token": { status: 403, label: "invalid-credentials", message: "Missing token" },
  "token-mismatch": { status: 403, label: "invalid-credentials", message: "Token mismatch" },
  "unparsable-token": { status: 403, label: "client-error", message: "The cookie or token cannot be read" },
  "login-budget-exhausted": {
    status: 403,
    label: "client-error",
    message: "Too many failed logins",
    hasRetryAfter: true,
  },
  "cookie-throttled": {
    status: 429,
    label: "client-error",
    message: "Too many logins; try again later",
    hasRetryAfter: true,
  },
});
