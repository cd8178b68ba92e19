import Negotiator from "negotiator";

/** Languages that pages are written in. */
export const locales = ["en", "de", "es", "fr"] as const;
export type Locale = (typeof locales)[number];

/** The language that the browser likes best, of those that there are texts in; else English. */
export function chooseLocale(acceptLanguage: string | undefined): Locale {
  const negotiator = new Negotiator({ headers: { "accept-language": acceptLanguage } });
  return (negotiator.language([...locales]) as Locale | undefined) ?? "en";
}
