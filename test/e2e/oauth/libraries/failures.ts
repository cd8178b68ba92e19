export interface FailureWords {
  /** The wording of `docs/clients/oauth.md`. */
  readonly when: string;
  readonly error: string;
  readonly status?: number;
}

/**
 * Failures that every OAuth library must report to its app in the words of RFC 6749 (§4.1.2.1, §5.2), and the status
 * with which the token endpoint answers them. Those without a status are reported by the redirect.
 */
export const failures = {
  "unknown-code": { when: "the code is unknown", error: "invalid_grant", status: 404 },
  "used-code": {
    when: "the code has been used, or tried with a wrong verifier",
    error: "invalid_grant",
    status: 404,
  },
  "expired-code": { when: "the code has expired", error: "invalid_grant", status: 404 },
  "other-redirect-url": {
    when: "the redirect URL is not that of the request",
    error: "invalid_grant",
    status: 400,
  },
  "wrong-verifier": { when: "the code verifier is wrong", error: "invalid_grant", status: 403 },
  "missing-verifier": {
    when: "the code verifier, or another required field, is missing",
    error: "invalid_request",
    status: 400,
  },
  "unknown-app": { when: "there is no such app", error: "invalid_client", status: 404 },
  "wrong-secret": { when: "the secret in the body is wrong", error: "invalid_client", status: 403 },
  "wrong-secret-by-basic": {
    when: "the id or the secret in the header is wrong",
    error: "invalid_client",
    status: 401,
  },
  "malformed-basic": { when: "the header cannot be read", error: "invalid_client", status: 401 },
  "unsupported-grant-type": {
    when: "the grant type is another one",
    error: "unsupported_grant_type",
    status: 403,
  },
  "used-refresh-token": { when: "the refresh token has been used", error: "invalid_grant", status: 403 },
  "revoked-refresh-token": { when: "access was given back, or taken", error: "invalid_grant", status: 403 },
  "unknown-scope": { when: "a scope is unknown, or there is none", error: "invalid_scope" },
  "plain-challenge": {
    when: "the code challenge is not by `S256`, or something else is wrong with the request",
    error: "invalid_request",
  },
  "denied-consent": { when: "the person has refused", error: "access_denied" },
} as const satisfies Record<string, FailureWords>;

export type Failure = keyof typeof failures;
