import * as z from "zod";

/** A field that is left empty is missing in the parsed form. */
const line = z.string().max(2048).default("");
/** One that is never empty, or the form is none of ours. */
const address = z.string().min(1).max(2048);
const typedPassword = z.string().max(1024).default("");

export const plainForm = z.object({ form_token: z.string().max(128) });

export const outcomeQuery = z.object({
  outcome: z.string().optional().meta({ description: "What the last form did, or why it did nothing" }),
});

export const logInForm = z.object({ email: address, password: typedPassword });
export const profileForm = plainForm.extend({ name: line, url: line, description: line });
export const emailForm = plainForm.extend({ email: line, password: typedPassword });
export const passwordForm = plainForm.extend({ password: typedPassword, new_password: typedPassword });
export const deletionForm = plainForm.extend({ password: typedPassword });
export const registrationForm = z.object({
  name: line,
  email: address,
  url: line,
  description: line,
  password: typedPassword,
});
export const resetForm = z.object({ email: address });
