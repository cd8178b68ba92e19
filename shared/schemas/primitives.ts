import * as z from "zod";
import { handlePattern } from "../data/account/handle.ts";

/** Types that several families use, as in the published interface. */

export const uuid = z.uuid().toLowerCase();
export const qualifiedId = z.object({ domain: z.string(), id: uuid }).meta({ id: "QualifiedUserId" });
export const email = z.string().min(1).max(320).meta({ description: "E-mail address" });
export const phone = z.string().min(1).max(64).meta({ description: "Phone number in E.164 form" });
/** A handle to look for, in any spelling. */
export const handle = z.string().toLowerCase().regex(handlePattern, "not a handle");
/** A password that is only checked; a new one is longer. */
export const password = z.string().min(6).max(1024);
export const newPassword = z.string().min(8).max(1024);
/** Six digits; anything else is an attempt at guessing, not a malformed request. */
export const verificationCode = z.string().min(1).max(64);
export const codeKey = z.string().min(1).max(128);
export const cookieLabel = z.string().max(256);
export const utcTime = z.iso.datetime({ precision: 3 });
/** Published schema `UTCTime`: without a fraction. */
export const utcSecond = z.iso.datetime({ precision: 0 });
export const toUtcSecond = (milliseconds: number) =>
  new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, "Z");

const localePattern = /^([A-Za-z]{2,3})(?:[-_]([A-Za-z]{2}))?$/;

/** Language or language-COUNTRY, in the usual case. */
export const locale = z
  .string()
  .regex(localePattern, "a language such as en or de-CH")
  .transform(normalizeLocale);

export function normalizeLocale(text: string): string {
  const [, language = "", country] = localePattern.exec(text) ?? [];
  return country === undefined
    ? language.toLowerCase()
    : `${language.toLowerCase()}-${country.toUpperCase()}`;
}

/** What the published interface has as a body where there is nothing to say. */
export const emptyList = z.array(z.never()).max(0);

/** `true` or `false` in a query. */
export const queryFlag = z.enum(["true", "false"]).transform((text) => text === "true");

/** Values in a query with commas between them: at least one. */
export const commaSeparated = <Item extends z.ZodType<unknown, string>>(item: Item, max: number) =>
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(item).min(1).max(max));

/** Refinement for objects that name exactly one of `email` and `phone`. */
export const hasOneAddress = ({ email, phone }: { email?: unknown; phone?: unknown }) =>
  (email === undefined) !== (phone === undefined);
export const oneAddressNeeded = { message: "exactly one of email and phone is needed" };

/** An address or number in a query, where an unencoded plus arrives as a blank. */
export const queryAddress = z
  .string()
  .min(1)
  .max(320)
  .transform((text) => text.replaceAll(" ", "+"));

/** `?email=` or `?phone=` of the internal look-ups. */
export const addressQuery = z
  .object({ email: queryAddress.optional(), phone: queryAddress.optional() })
  .refine(hasOneAddress, oneAddressNeeded);
