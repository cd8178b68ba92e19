import { defineErrors } from "./define-errors.ts";

/** Errors of legal hold. */
export const legalHoldErrors = defineErrors({
  "legalhold-not-registered": { status: 400, message: "The team has no legal hold service" },
  "legalhold-status-bad": { status: 400, message: "The answer of the legal hold service cannot be read" },
  "legalhold-invalid-key": { status: 400, message: "The key must be RSA, of 2048 bits or more" },
  "legalhold-disable-unimplemented": {
    status: 403,
    message: "Where the operator decides which teams have legal hold, a team cannot end it",
  },
  "no-binding-team": { status: 403, message: "The user is not in a team" },
  "missing-legalhold-consent": {
    status: 403,
    message: "Somebody is under legal hold, and somebody else has not consented to that",
  },
  "legalhold-no-device-allocated": { status: 404, message: "No legal hold device has been requested" },
  "legalhold-already-enabled": { status: 409, message: "The user is under legal hold already" },
  "legalhold-no-consent": { status: 409, message: "The user has not consented to legal hold" },
  "legalhold-not-pending": { status: 412, message: "No legal hold device waits for approval" },
  "legalhold-unavailable": { status: 412, message: "The legal hold service cannot be reached" },
  "legalhold-illegal-op": {
    status: 500,
    message: "This change of legal hold is not possible",
    isDeliberate: true,
  },
  "legalhold-version-unknown": {
    status: 500,
    label: "server-error",
    message: "The legal hold service has no version that is known here",
    isDeliberate: true,
  },
  "legalhold-internal": { status: 500, message: "Legal hold could not be completed", isDeliberate: true },
});
