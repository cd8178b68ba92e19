import * as z from "zod";
import { invitationCode } from "#shared/teams/invitation-code.ts";

/** What a form on the page can fail for, so that it is shown again. */
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
    .meta({ description: "Of the new user; absent for somebody with an account" }),
  password: z.string().max(1024).meta({ description: "To set, or of the existing account" }),
});
