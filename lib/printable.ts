/** What a terminal obeys instead of printing it: control characters, and those that turn the direction of writing around. */
const obeyed = /[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/** A text that others have chosen, for a terminal: what that might obey is replaced. */
export const printable = (text: string): string => text.replace(obeyed, "\u{FFFD}");

/** The same for a text of several lines. */
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** JSON in which a terminal obeys nothing: it means the same. @param indent spaces before what is nested */
export const printableJson = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, undefined, indent) ?? "null")
    .split("\n")
    .map((line) => line.replace(obeyed, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`))
    .join("\n");
