import * as z from "zod";
import { readLocale } from "#shared/platform/locale.ts";
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
/** A password to check. One that no user can have counts as wrong, not as malformed. */
export const password = z.string().meta({ description: "The current password" });
export const newPassword = z.string().min(8).max(1024).meta({ description: "The password to set" });
/** Six digits; anything else counts as a wrong guess, not as a malformed request. */
export const verificationCode = z.string().meta({ description: "Six digits from the message" });
export const codeKey = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: "Opaque key from the message with the code" });
export const cookieLabel = z
  .string()
  .max(256)
  .meta({ description: "Label by which the cookie can be revoked" });

/** Language or language-COUNTRY: the parts of a BCP 47 tag that are kept. */
export const locale = z
  .string()
  .max(256)
  .transform((text, context) => {
    const read = readLocale(text);
    if (read !== undefined) return read;
    context.addIssue({ code: "custom", message: "must be a language tag such as en or de-CH" });
    return z.NEVER;
  })
  .meta({
    description: "Language tag (BCP 47): en, de-CH, zh-Hant-TW. Language and country are kept.",
    examples: ["de-CH"],
  });

/** The language of users who have not chosen one. */
export const defaultLocale = ({ setDefaultUserLocale, setDefaultTemplateLocale }: Settings): string =>
  readLocale(setDefaultUserLocale ?? setDefaultTemplateLocale) ?? "en";

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
