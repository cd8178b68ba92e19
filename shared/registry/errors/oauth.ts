import { defineErrors } from "./define-errors.ts";

/** Errors of the authorization server. Several share the label of the interface where RFC 6749 has different words. */
export const oauthErrors = defineErrors({
  "redirect-url-mismatch": {
    status: 400,
    label: "redirect-url-miss-match",
    message: "The redirect URL is not a registered one",
    oauthError: "invalid_grant",
  },
  "invalid-grant": {
    status: 403,
    label: "invalid_grant",
    message: "The code verifier is wrong",
    oauthError: "invalid_grant",
  },
  "unknown-code": {
    status: 404,
    label: "not-found",
    message: "The code is unknown, used or expired",
    oauthError: "invalid_grant",
  },
  "unknown-app": {
    status: 404,
    label: "not-found",
    message: "Unknown app",
    oauthError: "invalid_client",
  },
  "wrong-app-secret": {
    status: 403,
    label: "forbidden",
    message: "The secret of the app is wrong",
    oauthError: "invalid_client",
  },
  "invalid-client": {
    status: 401,
    label: "invalid_client",
    message: "The id or the secret in the header Authorization is wrong",
    oauthError: "invalid_client",
  },
  "unusable-grant": {
    status: 403,
    label: "forbidden",
    message: "The token or code is not valid for this app, or its user is not active",
    oauthError: "invalid_grant",
  },
  "unsupported-grant-type": {
    status: 403,
    label: "forbidden",
    message: "This grant type is not supported",
    oauthError: "unsupported_grant_type",
  },
  "unsupported-token-type": {
    status: 400,
    label: "unsupported_token_type",
    message: "An access token cannot be revoked; revoke the refresh token",
    oauthError: "unsupported_token_type",
  },
  "application-access-denied": {
    status: 403,
    label: "access-denied",
    message: "The password is wrong or missing",
  },
});
