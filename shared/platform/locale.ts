/**
 * A language tag (RFC 5646 §2.1): language, script, region, variants, extensions and private use, also with underscores
 * instead of hyphens. It leaves out forms of languages without entries in the registry: names of four letters or more,
 * and extended names except for eight languages.
 */
const tagPattern =
  /^(?<language>(?:ar|kok|lv|ms|sgn|sw|uz|zh)(?=-[a-z]{3}(?:-|$))|[a-z]{2,3}(?!-[a-z]{3}(?:-|$)))(?:-[a-z]{3})?(?:-[a-z]{4})?(?:-(?:(?<country>[a-z]{2})|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/;

/**
 * Private tags and tags from before RFC 4646 that contain no language code of two or three letters, and the locale of
 * POSIX without a language.
 */
const codelessPattern = /^(?:[xi](?:-[a-z\d]{1,8})+|c|posix)$/;

/**
 * Suffixes that systems append to language and country: POSIX a charset and a modifier (`de_DE.UTF-8`,
 * `ca_ES@valencia`), ICU keywords (`en_US@rg=gbzzzz`, of a phone with another region than its language), Java a script
 * (`zh_TW_#Hant`, `sr__#Latn`).
 */
const suffixPattern = /(?:[.@]|_{1,2}#).*$/;

/** Stands for a language without a code (ISO 639-2). */
const undetermined = "und";

/**
 * Language, or language and country, of a language tag or of the locale of a system, in the usual case: `DE_ch` is read as
 * `de-CH`, `zh-Hant-TW` as `zh-TW`, `es-419` as `es`. Undefined for other texts.
 */
export function readLocale(text: string): string | undefined {
  const tag = text.replace(suffixPattern, "").replaceAll("_", "-").toLowerCase();
  const { language, country } = tagPattern.exec(tag)?.groups ?? {};
  if (language === undefined) return codelessPattern.test(tag) ? undetermined : undefined;
  return country === undefined ? language : `${language}-${country.toUpperCase()}`;
}
