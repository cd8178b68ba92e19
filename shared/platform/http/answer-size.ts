/** Largest result of a Lambda function in bytes, including headers (quota "invocation payload", synchronous). */
const maxResultBytes = 6 * 1024 * 1024;
/** Maximum bytes of text in one answer; the rest of the result is for headers. */
export const maxAnswerBytes = 5 * 1024 * 1024;

/** Size of a text in a function's result, where the body is a string within JSON. */
export const textBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** Size of a value in an answer. */
export const answerBytes = (value: unknown): number => textBytes(JSON.stringify(value));

/** Whether a body is too large for Lambda. Measured only if it might be, because measuring copies the body. */
export const isTooLarge = (body: string): boolean =>
  body.length > maxAnswerBytes / longestEscape && textBytes(body) > (maxAnswerBytes + maxResultBytes) / 2;
/** Bytes for one unit of a JSON text within JSON. */
const longestEscape = 6;

/** Collects the items of a list until the answer is full. */
export class AnswerList<Item> {
  readonly items: Item[] = [];
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number = maxAnswerBytes) {
    this.#limit = limit;
  }

  /** Add an item unless the answer is full; the first one always fits. @returns whether it was added */
  add(item: Item): boolean {
    this.#bytes += answerBytes(item) + 1;
    if (this.#bytes > this.#limit && this.items.length > 0) return false;
    this.items.push(item);
    return true;
  }
}

/** Splits a list into what fits into one answer and the rest. */
export function splitToFit<Item>(items: readonly Item[], limit?: number): { fitting: Item[]; rest: Item[] } {
  const list = new AnswerList<Item>(limit);
  const end = items.findIndex((item) => !list.add(item));
  return { fitting: list.items, rest: end < 0 ? [] : items.slice(end) };
}
