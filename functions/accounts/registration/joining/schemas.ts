import * as z from "zod";
import { typedText } from "#shared/platform/html/typed-fields.ts";
import { invitationCode } from "#shared/teams/invitation-code.ts";

/** Reasons to show the form again. */
const joinProblem = z.enum(["wrong-password", "short-password", "no-name", "too-many-attempts"]);
export type JoinProblem = z.infer<typeof joinProblem>;

export const joinLink = z.object({
  "team-code": invitationCode,
  problem: joinProblem.optional().catch(undefined).meta({ description: "Why the form is shown again" }),
});

export const joinForm = z.object({
  "team-code": invitationCode,
  name: z
    .string()
    .max(128)
    .optional()
    .meta({ description: "Name of the new user; absent if there is an account" }),
  password: typedText.meta({ description: "The new password, or that of the existing account" }),
});
