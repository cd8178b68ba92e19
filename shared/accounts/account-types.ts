import * as z from "zod";
import type { Settings } from "#shared/registry/settings.ts";
import { handlePattern } from "./handle.ts";

/** Account types that the schemas of several families share, named as in the published interface. */

export const email = z
  .string()
  .min(1)
  .max(320)
  .meta({ description: "Email address, such as ada@example.com" });
export const phone = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: "Phone number in E.164 form, such as +4930123456" });
/** A handle to look up, in upper or lower case. */
export const handle = z
  .string()
  .toLowerCase()
  .regex(handlePattern, "not a handle")
  .meta({ description: "Handle of a user, without `@`" });
/** A password to check; a new one must be longer. */
export const password = z.string().min(6).max(1024).meta({ description: "The current password" });
export const newPassword = z.string().min(8).max(1024).meta({ description: "The password to set" });
/** Six digits; anything else counts as a wrong guess, not as a malformed request. */
export const verificationCode = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: "Six digits from the message" });
export const codeKey = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: "Opaque key from the message with the code" });
export const cookieLabel = z
  .string()
  .max(256)
  .meta({ description: "Label by which the cookie can be revoked" });

const localePattern = /^([A-Za-z]{2,3})(?:[-_]([A-Za-z]{2}))?$/;

/** Language or language-COUNTRY, normalised to this case. */
export const locale = z
  .string()
  .regex(localePattern, "a language such as en or de-CH")
  .transform(normalizeLocale)
  .meta({ description: "Language, or language and country: en, de-CH" });

/** Puts a locale in the usual case and form: `DE_ch` becomes `de-CH`. */
function normalizeLocale(text: string): string {
  const [, language = "", country] = localePattern.exec(text) ?? [];
  return country === undefined
    ? language.toLowerCase()
    : `${language.toLowerCase()}-${country.toUpperCase()}`;
}

/** The language of users who have not chosen one. */
export const defaultLocale = ({ setDefaultUserLocale, setDefaultTemplateLocale }: Settings): string =>
  normalizeLocale(setDefaultUserLocale ?? setDefaultTemplateLocale);

/** Refinement for objects that name exactly one of `email` and `phone`. */
export const hasOneAddress = ({ email, phone }: { email?: unknown; phone?: unknown }) =>
  (email === undefined) !== (phone === undefined);
export const oneAddressNeeded = { message: "exactly one of email and phone is needed" };

/** An address or number in a query, where an unencoded plus arrives as a space. */
export const queryAddress = z
  .string()
  .min(1)
  .max(320)
  .transform((text) => text.replaceAll(" ", "+"))
  .meta({ description: "Email address, or phone number in E.164 form" });

/** `?email=` or `?phone=` of the internal look-ups. */
export const addressQuery = z
  .object({ email: queryAddress.optional(), phone: queryAddress.optional() })
  .refine(hasOneAddress, oneAddressNeeded);
