import { defineErrors } from "./define-errors.ts";

/** Errors of the authorization server. */
export const oauthErrors = defineErrors({
  "redirect-url-mismatch": {
    status: 400,
    label: "redirect-url-miss-match",
    message: "The redirect URL is not the registered one",
  },
  "invalid-grant": { status: 403, label: "invalid_grant", message: "The code verifier is wrong" },
  "application-access-denied": {
    status: 403,
    label: "access-denied",
    message: "The password is wrong or missing",
  },
});
