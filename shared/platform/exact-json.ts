/** Part of ES2026 that TypeScript does not support yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Matches texts that contain a number which JavaScript may write differently. */
const unusualNumber = /(?:^|[[,:\s])(?:-0|-?\d{16,}|-?\d+[.eE][\d.eE+-]*)(?=[\s,\]}]|$)/;

/**
 * Parses JSON that is only passed on. Numbers that JavaScript would write differently or cannot represent, such as
 * 64-bit integers, are kept as written: each becomes an object for which JSON.stringify writes the same digits.
 */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text, unusualNumber.test(text) ? keepDigits : undefined);

function keepDigits(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === "number" && source !== undefined && source !== String(value)
    ? rawJSON(source)
    : value;
}
