import Negotiator from "negotiator";
import { de } from "./locales/de.ts";
import { en } from "./locales/en.ts";
import { es } from "./locales/es.ts";
import { fr } from "./locales/fr.ts";
import type { Texts } from "./texts.ts";

const locales = { en, de, es, fr } as const satisfies Record<string, Texts>;
export type Locale = keyof typeof locales;

export const textsIn = (locale: Locale): Texts => locales[locale];

/** The language that the browser likes best, of those that there are texts in; else English. */
export function chooseLocale(acceptLanguage: string | undefined): Locale {
  const negotiator = new Negotiator({ headers: { "accept-language": acceptLanguage } });
  return (negotiator.language(Object.keys(locales)) as Locale | undefined) ?? "en";
}
