import { defineErrors } from "./define-errors.ts";

/** Errors of the event stream and of native push. */
export const eventErrors = defineErrors({
  "invalid-notification-id": { status: 400, message: "Not the id of a notification" },
  "apns-voip-not-supported": { status: 400, message: "Tokens for VoIP pushes are not supported" },
  "app-not-found": { status: 404, message: "No such app with this push provider" },
  "push-token-rejected": {
    status: 404,
    label: "invalid-token",
    message: "The push provider knows no such token",
  },
  "push-token-not-found": { status: 404, label: "not-found", message: "No such push token of this user" },
  "token-too-long": { status: 413, message: "The push token is too long" },
  "metadata-too-long": { status: 413, message: "Too many users have registered this push token" },
  "sns-thread-budget-reached": { status: 413, message: "The push provider is busy: try again later" },
});
