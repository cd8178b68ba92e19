import { defineErrors } from "./define-errors.ts";

/** Errors of calls. */
export const callErrors = defineErrors({
  "no-call-servers": {
    status: 500,
    label: "internal-server-error",
    message: "No servers for calls are configured",
  },
});
