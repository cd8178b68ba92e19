import { defineErrors } from "./define-errors.ts";

/** Errors of codes that were sent by email or SMS. */
export const codeErrors = defineErrors({
  "reset-code-rejected": {
    status: 400,
    label: "invalid-code",
    message: "Wrong or expired password reset code",
  },
  "no-password-reset": { status: 400, label: "invalid-key", message: "No password reset is pending" },
  "deletion-code-rejected": { status: 403, label: "invalid-code", message: "Wrong or expired deletion code" },
  "pending-delete": { status: 403, message: "A deletion code is pending already", fields: ["expires_in"] },
  "missing-auth": { status: 403, message: "The password is needed" },
  "code-authentication-required": { status: 403, message: "A verification code is needed" },
  "code-authentication-failed": { status: 403, message: "Wrong or expired verification code" },
  "activation-code-rejected": {
    status: 404,
    label: "invalid-code",
    message: "Wrong or expired activation code",
  },
  "no-activation-code": { status: 404, label: "not-found", message: "No activation is pending" },
  "no-pending-login": { status: 404, message: "No login code is pending" },
  "code-exists": { status: 409, message: "A password reset is already pending", hasRetryAfter: true },
});
