import { defineErrors } from "./define-errors.ts";

/** Errors of the event stream. */
export const eventErrors = defineErrors({
  "invalid-notification-id": { status: 400, message: "Not the id of a notification" },
});
