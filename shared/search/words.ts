import anyAscii from "any-ascii";

/** Longest beginning of a word by which the word is found; longer ones find it only as a whole. */
export const longestPrefix = 30;

/** Bounds the key of an index entry: an emoji alone becomes a word of up to 40 characters. */
const longestWord = 256;

/**
 * A name or query in the form that search compares: transliterated to ASCII, in lower case, split on blanks, each word
 * once. The `@` that people write before a handle does not belong to the word.
 */
export function toWords(text: string): string[] {
  const words =
    anyAscii(text)
      .toLowerCase()
      .match(/[!-~]+/g) ?? [];
  return [
    ...new Set(
      words.map((word) => word.replace(/^@+/, "").slice(0, longestWord)).filter((word) => word !== ""),
    ),
  ];
}
