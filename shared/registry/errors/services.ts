import { defineErrors } from "./define-errors.ts";

/** Errors of providers, services and bots. */
export const serviceErrors = defineErrors({
  "invalid-service-key": { status: 400, message: "The key must be RSA, of 2048 bits or more" },
  "bot-adder-unknown": { status: 400, label: "invalid-user", message: "The account of the caller is gone" },
  "second-factor-required": {
    status: 403,
    label: "access-denied",
    message: "Services cannot be used where a second factor is required",
  },
  "not-conversation-admin": {
    status: 403,
    label: "access-denied",
    message: "Only admins of the conversation can do this",
  },
  "bot-access-denied": {
    status: 403,
    label: "access-denied",
    message: "The bot has been removed or suspended, or its service switched off",
  },
  "provider-login-failed": {
    status: 403,
    label: "invalid-credentials",
    message: "The provider is unknown or not activated, or the password is wrong",
  },
  "provider-code-rejected": { status: 403, label: "invalid-code", message: "Wrong or expired code" },
  "invalid-provider": { status: 403, message: "The provider is gone" },
  "invalid-bot": { status: 403, message: "Not a bot, or it has been removed" },
  "invalid-conversation": { status: 403, message: "Bots cannot be in this conversation" },
  "too-many-services": { status: 403, message: "There are too many services already" },
  "service-disabled": { status: 403, message: "The service is switched off" },
  "service-not-whitelisted": { status: 403, message: "The team does not admit the service" },
  "no-provider-code": { status: 404, label: "not-found", message: "No code of a provider is pending" },
  "provider-not-found": { status: 404, label: "not-found", message: "No such provider" },
  "service-not-found": { status: 404, label: "not-found", message: "No such service" },
  "bot-not-found": { status: 404, label: "not-found", message: "No such bot" },
  "provider-email-exists": {
    status: 409,
    label: "email-exists",
    message: "Another provider has this email address",
  },
  "mls-services-not-allowed": { status: 409, message: "A team whose default protocol is MLS has no bots" },
  "too-many-bots": { status: 409, message: "The service or the conversation accepts no more bots" },
  "service-failed": {
    status: 502,
    label: "bad-gateway",
    message: "The service did not create a bot",
    isDeliberate: true,
  },
});
