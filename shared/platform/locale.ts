/**
 * A language tag (RFC 5646 §2.1): language, script, region, variants, extensions and private use, also with underscores
 * instead of hyphens. Of languages, it leaves out the forms that the registry has none of: names of four letters or more,
 * and extended ones of any but eight languages.
 */
const tagPattern =
  /^(?<language>(?:ar|kok|lv|ms|sgn|sw|uz|zh)(?=-[a-z]{3}(?:-|$))|[a-z]{2,3}(?!-[a-z]{3}(?:-|$)))(?:-[a-z]{3})?(?:-[a-z]{4})?(?:-(?:(?<country>[a-z]{2})|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/;

/** Private tags, and tags from before RFC 4646, whose languages have no code of two or three letters in them. */
const codelessPattern = /^[xi](?:-[a-z\d]{1,8})+$/;

/** Stands for a language without a code (ISO 639-2). */
const undetermined = "und";

/**
 * Language, or language and country, of a language tag, in the usual case: `DE_ch` is read as `de-CH`, `zh-Hant-TW` as
 * `zh-TW`, `es-419` as `es`. Undefined for other texts.
 */
export function readLocale(text: string): string | undefined {
  const tag = text.replaceAll("_", "-").toLowerCase();
  const { language, country } = tagPattern.exec(tag)?.groups ?? {};
  if (language === undefined) return codelessPattern.test(tag) ? undetermined : undefined;
  return country === undefined ? language : `${language}-${country.toUpperCase()}`;
}
