import Negotiator from "negotiator";

/** Languages of pages. */
export const locales = ["en", "de", "es", "fr"] as const;
export type Locale = (typeof locales)[number];

/** Texts in every language of pages. */
export type Translations<Texts> = Readonly<Record<Locale, Texts>>;

/**
 * Chooses the first requested language that has texts, otherwise the one that the browser prefers, otherwise English.
 * @param wanted language tags separated by spaces (OpenID Connect Core §3.1.2.1, `ui_locales`)
 */
export function chooseLocale(acceptLanguage: string | undefined, wanted = ""): Locale {
  const best = (languages: string | undefined) =>
    new Negotiator({ headers: { "accept-language": languages } }).language([...locales]) as
      | Locale
      | undefined;
  const chosen = wanted.split(" ").find((tag) => /^[a-z]{2,3}(-|$)/i.test(tag) && best(tag) !== undefined);
  return best(chosen ?? acceptLanguage) ?? "en";
}
