import { defineErrors } from "./define-errors.ts";

/** Errors of registered email domains and custom backends. */
export const domainErrors = defineErrors({
  "invalid-domain": { status: 400, message: "Not a domain that can be used" },
  "domain-registration-update-auth-failure": {
    status: 401,
    message: "The token does not belong to this domain",
  },
  "domain-registration-update-payment-required": {
    status: 402,
    message: "Registration of domains is not switched on for this team",
  },
  "condition-failed": { status: 403, message: "The rules of the email domain do not allow this" },
  "domain-verification-failed": { status: 403, message: "The DNS record is missing or has another value" },
  "operation-forbidden-for-domain-registration-state": {
    status: 403,
    message: "The state of the domain, or your role, does not allow this",
  },
  "challenge-not-found": { status: 404, message: "No such challenge, or it has expired" },
  "custom-backend-not-found": { status: 404, message: "This domain has no backend of its own" },
  "enterprise-service-not-enabled": {
    status: 503,
    message: "Verification of domains is switched off",
    isDeliberate: true,
  },
});
