/** What JavaScript has since ES2026 and TypeScript does not know yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Finds texts with a number that may be written otherwise than JavaScript does. */
const unusualNumber = /(?:^|[[,:\s])(?:-0|-?\d{16,}|-?\d+[.eE][\d.eE+-]*)(?=[\s,\]}]|$)/;

/**
 * JSON.parse for values that are handed on. Numbers that JavaScript would write otherwise, or cannot hold, such as
 * integers of 64 bits, are kept as they were written: they are objects for which JSON.stringify writes the same digits.
 */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text, unusualNumber.test(text) ? keepDigits : undefined);

function keepDigits(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === "number" && source !== undefined && source !== String(value)
    ? rawJSON(source)
    : value;
}
