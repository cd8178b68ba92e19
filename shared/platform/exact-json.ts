/** Text for which JSON.stringify writes exactly this text, as `JSON.rawJSON` makes it. */
export interface RawJson {
  readonly rawJSON: string;
}

/** Part of ES2026, which TypeScript does not support yet. */
export const { rawJSON: toRawJson, isRawJSON: isRawJson } = JSON as typeof JSON & {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

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
    ? toRawJson(source)
    : value;
}
