export interface FailureWords {
  readonly error: string;
  readonly status?: number;
}

/**
 * Failures that every OAuth library has to tell its app by the words of RFC 6749 (§4.1.2.1, §5.2), and the status that the
 * token endpoint has for them. Those without a status are told by the redirect.
 */
export const failures = {
  "unknown-code": { error: "invalid_grant", status: 404 },
  "used-code": { error: "invalid_grant", status: 404 },
  "expired-code": { error: "invalid_grant", status: 404 },
  "other-redirect-url": { error: "invalid_grant", status: 400 },
  "wrong-verifier": { error: "invalid_grant", status: 403 },
  "missing-verifier": { error: "invalid_request", status: 400 },
  "unknown-app": { error: "invalid_client", status: 404 },
  "wrong-secret": { error: "invalid_client", status: 403 },
  "wrong-secret-by-basic": { error: "invalid_client", status: 401 },
  "malformed-basic": { error: "invalid_client", status: 401 },
  "unsupported-grant-type": { error: "unsupported_grant_type", status: 403 },
  "used-refresh-token": { error: "invalid_grant", status: 403 },
  "revoked-refresh-token": { error: "invalid_grant", status: 403 },
  "unknown-scope": { error: "invalid_scope" },
  "plain-challenge": { error: "invalid_request" },
  "denied-consent": { error: "access_denied" },
} as const satisfies Record<string, FailureWords>;

export type Failure = keyof typeof failures;
