import { defineErrors } from "./define-errors.ts";

/** Errors that are not specific to one domain. */
export const httpErrors = defineErrors({
  "bad-request": { status: 400, scimType: "invalidSyntax", message: "The request is malformed" },
  "federation-not-enabled": { status: 400, message: "Users of other domains cannot be reached" },
  unauthenticated: {
    status: 401,
    label: "unauthorized",
    message: "Missing, invalid or expired access token",
  },
  "token-class-forbidden": {
    status: 403,
    label: "access-denied",
    message: "This kind of token is not accepted here",
  },
  forbidden: { status: 403, message: "Not allowed" },
  "no-such-route": { status: 404, label: "no-endpoint", message: "There is no such endpoint" },
  "not-found": { status: 404, message: "Not found" },
  "unsupported-version": { status: 404, message: "This API version does not exist or is switched off" },
  "method-not-allowed": { status: 405, message: "The method is not supported here" },
  "concurrent-change": { status: 409, message: "The same data was changed at the same time; try again" },
  "body-too-large": { status: 413, label: "request-too-large", message: "The body is too large" },
  "unsupported-media-type": { status: 415, message: "The content type of the body is not accepted here" },
  "too-many-requests": { status: 429, message: "Too many requests; try again later", hasRetryAfter: true },
  "jwt-error": { status: 500, message: "There is no key to sign tokens with" },
  "server-error": { status: 500, message: "Something went wrong on our side" },
  "service-unavailable": {
    status: 503,
    message: "The service could not finish this now; it may have taken effect nevertheless; try again",
    hasRetryAfter: true,
  },
  paused: {
    status: 503,
    label: "service-unavailable",
    message: "Paused by the operator; try again later",
    isDeliberate: true,
    hasRetryAfter: true,
  },
});
