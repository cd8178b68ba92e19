import { defineErrors } from "./define-errors.ts";

/** Errors of accounts, their identities and passwords. */
export const accountErrors = defineErrors({
  "invalid-email": { status: 400, message: "Not an email address" },
  "invalid-phone": { status: 400, message: "Not a phone number that can be used" },
  "invalid-handle": { status: 400, message: "Not a handle that can be used" },
  "missing-handle": { status: 400, message: "A handle is needed" },
  "invalid-status": { status: 400, message: "The status can only be active or suspended" },
  "invalid-invitation-code": { status: 400, message: "No such invitation for this address" },
  "allowlist-rejected": {
    status: 403,
    label: "unauthorized",
    message: "This address or number is not allowed to register here",
  },
  "blacklisted-email": { status: 403, message: "This email address is blocked" },
  "blacklisted-phone": { status: 403, message: "This phone number is blocked" },
  "missing-identity": { status: 403, message: "An email address is needed to join" },
  "no-identity": { status: 403, message: "A verified identity is needed" },
  "last-identity": { status: 403, message: "The last identity of an account cannot be removed" },
  "user-creation-restricted": { status: 403, message: "Registration of this kind is not open" },
  "ephemeral-user-creation-disabled": { status: 403, message: "Anonymous accounts are switched off" },
  ephemeral: { status: 403, message: "Anonymous accounts cannot log in" },
  suspended: { status: 403, message: "The account is suspended" },
  "pending-activation": { status: 403, message: "The account has not been activated yet" },
  "managed-by-scim": { status: 403, message: "This is managed elsewhere and cannot be changed here" },
  "no-password": { status: 403, message: "A password has to be set first" },
  "password-exists": { status: 403, message: "The account can log in with its password" },
  "key-exists": { status: 409, message: "The address or number is in use" },
  "handle-exists": { status: 409, message: "The handle is in use" },
  "password-must-differ": { status: 409, message: "The new password must differ from the current one" },
  "mls-protocol-downgrade": {
    status: 409,
    label: "mls-protocol-error",
    message: "MLS cannot be given up once it is supported",
  },
  "rich-info-too-large": {
    status: 413,
    label: "too-large-rich-info",
    scimType: "invalidValue",
    message: "The rich info is too large",
  },
  "domain-blocked-for-registration": { status: 451, message: "Addresses of this domain cannot be used here" },
});
