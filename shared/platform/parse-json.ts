/**
 * Parses JSON from others. It can contain lone surrogates (RFC 8259 §8.2), which DynamoDB refuses.
 * @throws SyntaxError for anything but JSON, and for half a character
 */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, /\\ud[89a-f]/i.test(text) ? refuseLoneSurrogate : undefined);

function refuseLoneSurrogate(key: string, value: unknown): unknown {
  const isWellFormed = key.isWellFormed() && (typeof value !== "string" || value.isWellFormed());
  if (!isWellFormed) throw new SyntaxError("A surrogate without its other half");
  return value;
}
