import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

const formToken = z.string().max(128).meta({ description: "Hidden field of the page with the form" });
const form = z.object({ form_token: formToken });
const typedPassword = z.string().min(1).max(1024);
/** Absent on the pages of accounts that have none. */
const ownPassword = typedPassword.optional();

/** Digits as people type them; anything that is not a code counts as a wrong one. */
const typedCode = z
  .string()
  .max(64)
  .transform((text) => text.replaceAll(/\s/g, ""));

export const plainForm = form;

export const logInForm = form.extend({
  identity: z.string().min(1).max(320).meta({ description: "Email address, phone number or handle" }),
  password: typedPassword,
});

const company = z.string().max(320);

export const profileQuery = z.object({
  company: company
    .optional()
    .meta({ description: "Login code that the form for the company already contains" }),
});

export const companyForm = form.extend({
  company: company
    .default("")
    .meta({ description: "Login code of an identity provider, an address, or nothing" }),
});

export const companyReturn = z.object({
  proof: z.string().max(2048).meta({ description: "Who has logged in, and in which browser" }),
});

export const codeForm = form.extend({ code: typedCode });

/** What is not a name is shown as such on the page. */
export const nameForm = form.extend({ name: z.string().max(1024) });

export const handleForm = form.extend({ handle: z.string().max(1024) });

export const languageForm = form.extend({ locale: accountTypes.locale });

export const passwordForm = form.extend({ password: typedPassword, new_password: z.string().max(1024) });

export const sessionsForm = form.extend({
  password: ownPassword,
  which: z.enum(["one", "all"]).meta({ description: "Which button was pressed" }),
  session: z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .optional()
    .meta({ description: "Id of the session to end, with `one`" }),
});

export const appForm = form.extend({ password: ownPassword, app: wire.uuid.optional() });

export const deletionForm = form.extend({ password: typedPassword });
