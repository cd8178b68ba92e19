import { defineErrors } from "./define-errors.ts";

/** Errors of teams. */
export const teamErrors = defineErrors({
  "not-a-team-user": { status: 400, message: "Only for members of a team" },
  "insufficient-permissions": { status: 403, message: "You are not allowed to do this" },
  "no-team": { status: 404, message: "No such team" },
});
