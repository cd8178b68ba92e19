/**
 * Characters that a terminal obeys instead of printing them: control characters, and those that change the direction of
 * writing.
 */
const obeyed = /[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/** A text from others, for a terminal: characters that it might obey are replaced. */
export const printable = (text: string): string => text.replace(obeyed, "\u{FFFD}");

/** The same for a text of several lines. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/**
 * Equivalent JSON without characters that a terminal obeys.
 * @param indent spaces before nested values
 */
export const printableJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, undefined, indent) ?? "null")
    .split("\n")
    .map((line) => line.replace(obeyed, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`))
    .join("\n");
