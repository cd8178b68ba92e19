/** Writes JSON with characters escaped that SQS refuses in a message, or an emulator of it. */
export const toSqsText = (content: object) =>
  JSON.stringify(content).replaceAll(
    /[\ud800-\udfff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
  );
