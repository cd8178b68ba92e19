/** Writes JSON, escaping characters that SQS or an emulator of it refuses in a message. */
export const toSqsText = (content: object) =>
  JSON.stringify(content).replaceAll(
    /[\ud800-\udfff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  );
