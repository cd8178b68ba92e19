import { withUnknownFields } from "../data/unknown-fields.ts";

/** Writes JSON, including carried unknown fields, and escapes characters that SQS or an emulator of it refuses. */
export const toSqsText = (content: object) =>
  JSON.stringify(withUnknownFields(content)).replaceAll(
    /[\ud800-\udfff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  );
