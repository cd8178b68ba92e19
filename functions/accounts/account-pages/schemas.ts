import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { companyField, companyProof, companyText } from "#shared/accounts/page-login/company-fields.ts";
import { typedCode, typedText } from "#shared/platform/html/typed-fields.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

const formToken = z.string().max(128).meta({ description: "Hidden field of the page with the form" });
const form = z.object({ form_token: formToken });
/** Absent on the pages of accounts that have none, or left empty. */
const ownPassword = z.string().optional();

export const plainForm = form;

export const logInForm = form.extend({
  identity: typedText.meta({ description: "Email address, phone number or handle" }),
  password: typedText,
});

export const profileQuery = z.object({
  company: companyText
    .optional()
    .meta({ description: "Login code that the form for the company already contains" }),
});

export const companyForm = form.extend({ company: companyField });

export const companyReturn = z.object({ proof: companyProof });

export const codeForm = form.extend({ code: typedCode });

/** The page reports an invalid name. */
export const nameForm = form.extend({ name: z.string().max(1024) });

export const handleForm = form.extend({ handle: z.string().max(1024) });

export const languageForm = form.extend({ locale: accountTypes.locale });

export const passwordForm = form.extend({ password: typedText, new_password: typedText });

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

export const deletionForm = form.extend({ password: typedText });
