import * as z from "zod";
import { typedText } from "#shared/platform/html/typed-fields.ts";

/** A field that is left empty is missing in the parsed form. */
const line = z.string().max(2048).default("");

export const plainForm = z.object({ form_token: z.string().max(128) });

export const outcomeQuery = z.object({
  outcome: z.string().optional().meta({ description: "What the last form did, or why it did nothing" }),
});

export const logInForm = z.object({ email: typedText, password: typedText });
export const profileForm = plainForm.extend({ name: line, url: line, description: line });
export const emailForm = plainForm.extend({ email: line, password: typedText });
export const passwordForm = plainForm.extend({ password: typedText, new_password: typedText });
export const deletionForm = plainForm.extend({ password: typedText });
export const registrationForm = z.object({
  name: line,
  email: typedText,
  url: line,
  description: line,
  password: typedText,
});
export const resetForm = z.object({ email: typedText });
