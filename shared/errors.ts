export interface ErrorRow {
  readonly status: number;
  readonly label: string;
  readonly message: string;
  /** Integers that the body has beside code, label and message. */
  readonly fields?: readonly string[];
}

/**
 * Every error that a client can see: status, public label and default message. Rows carry names of our own, because
 * one label occurs under several statuses. Texts that clients match are marked; they must not change.
 */
export const errorCatalogue = {
  "bad-request": { status: 400, label: "bad-request", message: "The request is malformed" },
  "invalid-email": { status: 400, label: "invalid-email", message: "Not an e-mail address" },
  "invalid-phone": { status: 400, label: "invalid-phone", message: "Not a phone number that can be used" },
  "invalid-invitation-code": {
    status: 400,
    label: "invalid-invitation-code",
    message: "No such invitation for this address",
  },
  "invalid-status": {
    status: 400,
    label: "invalid-status",
    message: "The status can only be active or suspended",
  },
  "invalid-notification-id": {
    status: 400,
    label: "invalid-notification-id",
    message: "Not the id of a notification",
  },
  "reset-code-rejected": {
    status: 400,
    label: "invalid-code",
    message: "Wrong or expired password reset code",
  },
  "invalid-handle": { status: 400, label: "invalid-handle", message: "Not a handle that can be used" },
  "invalid-user": { status: 400, label: "invalid-user", message: "No such user to do this with" },
  "redirect-url-mismatch": {
    status: 400,
    label: "redirect-url-miss-match",
    message: "The redirect URL is not the registered one",
  },
  "federation-not-enabled": {
    status: 400,
    label: "federation-not-enabled",
    message: "Users of other domains cannot be reached",
  },
  "legal-hold-device": {
    status: 400,
    label: "client-error",
    message: "Legal-hold devices are added and removed by approval only",
  },
  "mls-not-enabled": { status: 400, label: "mls-not-enabled", message: "MLS is switched off" },
  "mls-protocol-error": { status: 400, label: "mls-protocol-error", message: "Not valid in MLS" },
  "mls-invalid-leaf-node-signature": {
    status: 400,
    label: "mls-invalid-leaf-node-signature",
    message: "The signature of the leaf node is wrong",
  },
  "mls-duplicate-public-key": {
    status: 400,
    label: "mls-duplicate-public-key",
    message: "The device has a key for this signature scheme already",
  },
  "client-token-parse-error": {
    status: 400,
    label: "client-token-parse-error",
    message: "The DPoP proof cannot be read, or lacks something",
  },
  "client-token-bad-nonce": {
    status: 400,
    label: "client-token-bad-nonce",
    message: "The nonce of the DPoP proof is not the one that was given out last",
  },
  "client-token-bad-signature": {
    status: 400,
    label: "client-token-bad-signature",
    message: "The DPoP proof is not signed with the key that it names",
  },
  "client-token-bad-client-id": {
    status: 400,
    label: "client-token-bad-client-id",
    message: "The DPoP proof is about another device or user",
  },
  "client-token-bad-method": {
    status: 400,
    label: "client-token-bad-method",
    message: "The DPoP proof is made for another method",
  },
  "client-token-bad-uri": {
    status: 400,
    label: "client-token-bad-uri",
    message: "The DPoP proof is made for another address",
  },
  "client-token-bad-time": {
    status: 400,
    label: "client-token-bad-time",
    message: "The DPoP proof has expired or is not valid yet",
  },
  "missing-handle": { status: 400, label: "missing-handle", message: "A handle is needed" },
  "not-a-team-user": { status: 400, label: "not-a-team-user", message: "Only for members of a team" },
  "no-password-reset": { status: 400, label: "invalid-key", message: "No password reset is pending" },

  unauthenticated: {
    status: 401,
    label: "unauthorized",
    message: "Missing, invalid or expired access token",
  },

  "invalid-credentials": { status: 403, label: "invalid-credentials", message: "Authentication failed." }, // matched
  "missing-cookie": { status: 403, label: "invalid-credentials", message: "Missing cookie" }, // matched
  "missing-cookie-and-token": {
    status: 403,
    label: "invalid-credentials",
    message: "Missing cookie and token", // matched
  },
  "missing-token": { status: 403, label: "invalid-credentials", message: "Missing token" },
  "token-expired": { status: 403, label: "invalid-credentials", message: "Token expired" }, // matched
  "invalid-token": { status: 403, label: "invalid-credentials", message: "Invalid token" }, // matched
  "token-mismatch": { status: 403, label: "invalid-credentials", message: "Token mismatch" },
  "unparsable-token": { status: 403, label: "client-error", message: "The cookie or token cannot be read" },
  "login-budget-exhausted": { status: 403, label: "client-error", message: "Too many failed logins" },
  "token-class-forbidden": {
    status: 403,
    label: "access-denied",
    message: "This kind of token is not accepted here",
  },
  forbidden: { status: 403, label: "forbidden", message: "Not allowed" },
  "invalid-grant": { status: 403, label: "invalid_grant", message: "The code verifier is wrong" },
  "application-access-denied": {
    status: 403,
    label: "access-denied",
    message: "The password is wrong or missing",
  },
  "mls-identity-mismatch": {
    status: 403,
    label: "mls-identity-mismatch",
    message: "No such device of this user",
  },
  "unknown-client": { status: 403, label: "unknown-client", message: "No such device of this user" },
  "pending-activation": {
    status: 403,
    label: "pending-activation",
    message: "The account has not been activated yet",
  },
  suspended: { status: 403, label: "suspended", message: "The account is suspended" },
  ephemeral: { status: 403, label: "ephemeral", message: "Anonymous accounts cannot log in" },
  "allowlist-rejected": {
    status: 403,
    label: "unauthorized",
    message: "This address or number is not allowed to register here",
  },
  "blacklisted-email": { status: 403, label: "blacklisted-email", message: "This e-mail address is blocked" },
  "blacklisted-phone": { status: 403, label: "blacklisted-phone", message: "This phone number is blocked" },
  "missing-identity": {
    status: 403,
    label: "missing-identity",
    message: "An e-mail address is needed to join",
  },
  "user-creation-restricted": {
    status: 403,
    label: "user-creation-restricted",
    message: "Registration of this kind is not open",
  },
  "ephemeral-user-creation-disabled": {
    status: 403,
    label: "ephemeral-user-creation-disabled",
    message: "Anonymous accounts are switched off",
  },
  "password-exists": {
    status: 403,
    label: "password-exists",
    message: "The account can log in with its password",
  },
  "missing-auth": { status: 403, label: "missing-auth", message: "The password is needed" },
  "code-authentication-required": {
    status: 403,
    label: "code-authentication-required",
    message: "A verification code is needed",
  },
  "code-authentication-failed": {
    status: 403,
    label: "code-authentication-failed",
    message: "Wrong or expired verification code",
  },
  "no-identity": { status: 403, label: "no-identity", message: "A verified identity is needed" },
  "last-identity": {
    status: 403,
    label: "last-identity",
    message: "The last identity of an account cannot be removed",
  },
  "no-password": { status: 403, label: "no-password", message: "A password has to be set first" },
  "managed-by-scim": {
    status: 403,
    label: "managed-by-scim",
    message: "This is managed outside and cannot be changed here",
  },
  "pending-delete": {
    status: 403,
    label: "pending-delete",
    message: "A deletion code is pending already",
    fields: ["expires_in"],
  },
  "deletion-code-rejected": {
    status: 403,
    label: "invalid-code",
    message: "Wrong or expired deletion code",
  },
  "too-many-clients": { status: 403, label: "too-many-clients", message: "Too many devices" },
  "connection-limit": { status: 403, label: "connection-limit", message: "Too many connections" },
  "bad-conn-update": {
    status: 403,
    label: "bad-conn-update",
    message: "The connection cannot change in this way",
  },
  "not-connected": { status: 403, label: "not-connected", message: "The users are not connected" },
  "same-binding-team-users": {
    status: 403,
    label: "same-binding-team-users",
    message: "Members of one team are connected already",
  },
  "too-many-properties": { status: 403, label: "too-many-properties", message: "Too many properties" },
  "property-key-too-large": {
    status: 403,
    label: "property-key-too-large",
    message: "The key of the property is too long",
  },
  "property-value-too-large": {
    status: 403,
    label: "property-value-too-large",
    message: "The value of the property is too large",
  },
  "insufficient-permissions": {
    status: 403,
    label: "insufficient-permissions",
    message: "You are not allowed to do this",
  },

  "no-such-route": { status: 404, label: "no-endpoint", message: "There is no such endpoint" },
  "not-found": { status: 404, label: "not-found", message: "Not found" },
  "client-not-found": { status: 404, label: "client-not-found", message: "No such device" },
  "no-server-key-bundle": {
    status: 404,
    label: "no-server-key-bundle",
    message: "There is no key to sign such tokens with",
  },
  "no-team": { status: 404, label: "no-team", message: "No such team" },
  "activation-code-rejected": {
    status: 404,
    label: "invalid-code",
    message: "Wrong or expired activation code",
  },
  "no-activation-code": { status: 404, label: "not-found", message: "No activation is pending" },
  "no-pending-login": { status: 404, label: "no-pending-login", message: "No login code is pending" },
  "unsupported-version": {
    status: 404,
    label: "unsupported-version",
    message: "This API version does not exist or is switched off",
  },

  "method-not-allowed": {
    status: 405,
    label: "method-not-allowed",
    message: "The method is not offered here",
  },
  "key-exists": { status: 409, label: "key-exists", message: "The address or number is in use" },
  "handle-exists": { status: 409, label: "handle-exists", message: "The handle is in use" },
  "mls-protocol-downgrade": {
    status: 409,
    label: "mls-protocol-error",
    message: "MLS cannot be given up once it is supported",
  },
  "mls-legal-hold-not-allowed": {
    status: 409,
    label: "mls-legal-hold-not-allowed",
    message: "Not possible with a user under legal hold",
  },
  "client-capabilities-cannot-be-removed": {
    status: 409,
    label: "client-capabilities-cannot-be-removed",
    message: "Capabilities of a device can only grow",
  },
  "code-exists": { status: 409, label: "code-exists", message: "A password reset is already pending" },
  "password-must-differ": {
    status: 409,
    label: "password-must-differ",
    message: "The new password must differ from the current one",
  },
  "concurrent-change": {
    status: 409,
    label: "concurrent-change",
    message: "The same data was changed at the same time; try again",
  },
  "body-too-large": { status: 413, label: "request-too-large", message: "The body is too large" },
  "rich-info-too-large": {
    status: 413,
    label: "too-large-rich-info",
    message: "The rich info is too large",
  },
  "unsupported-media-type": {
    status: 415,
    label: "unsupported-media-type",
    message: "The content type of the body is not accepted here",
  },
  "too-many-requests": {
    status: 429,
    label: "too-many-requests",
    message: "Too many requests; try again later",
  },
  "cookie-throttled": { status: 429, label: "client-error", message: "Too many logins; try again later" },

  "jwt-error": { status: 500, label: "jwt-error", message: "There is no key to sign tokens with" },
  "no-call-servers": {
    status: 500,
    label: "internal-server-error",
    message: "No servers for calls are configured",
  },
  "server-error": { status: 500, label: "server-error", message: "Something went wrong on our side" },
} as const satisfies Record<string, ErrorRow>;

export type ErrorName = keyof typeof errorCatalogue;

export interface ErrorDetails {
  /** Replaces the default message; must not name secrets or other people's data. */
  readonly message?: string;
  /** Sets `Retry-After`, in whole seconds. */
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** More fields of the body: those that the row of the catalogue names. */
  readonly fields?: Readonly<Record<string, number>>;
  readonly cause?: unknown;
}

/** An answer that a client can act on: a row of the catalogue. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly error: ErrorName;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, number>>;

  constructor(
    error: ErrorName,
    { message, retryAfterSeconds, headers, fields = {}, cause }: ErrorDetails = {},
  ) {
    super(message ?? errorCatalogue[error].message, { cause });
    this.error = error;
    this.fields = fields;
    this.headers = {
      ...headers,
      ...(retryAfterSeconds !== undefined && {
        "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds))),
      }),
    };
  }

  get status(): number {
    return errorCatalogue[this.error].status;
  }

  get label(): string {
    return errorCatalogue[this.error].label;
  }
}
