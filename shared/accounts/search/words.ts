import anyAscii from "any-ascii";
import { compose } from "#shared/platform/compose.ts";

/** Longest prefix by which a word is found; a longer text has to be the whole word. */
export const longestPrefix = 30;

/** Limits the key of an index entry: a single emoji becomes a word of up to 40 characters. */
const longestWord = 256;

/**
 * Normalises a name or query for comparison: transliterated to ASCII, in lower case, split at spaces, without duplicate
 * words. An `@` before a handle is not part of the word. Accents are composed first, because a transliteration knows
 * `й` but drops the breve that follows an `и`.
 *
 * Stored words come from this function, so after a change of it, all users must be indexed again (`i-reindex`).
 */
export function toWords(text: string): string[] {
  const words =
    anyAscii(compose(text))
      .toLowerCase()
      .match(/[!-~]+/g) ?? [];
  return [
    ...new Set(
      words.map((word) => word.replace(/^@+/, "").slice(0, longestWord)).filter((word) => word !== ""),
    ),
  ];
}
