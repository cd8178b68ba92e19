/** Most bytes that Lambda returns, with headers and all (quota "invocation payload", synchronous). */
const maxResultBytes = 6 * 1024 * 1024;
/** Most bytes of text in one answer. Lists end before it; the rest of the result is left for headers. */
export const maxAnswerBytes = 5 * 1024 * 1024;

/** Size of a text in a function's result, where the body is a string within JSON. */
export const textBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** Size of a value in an answer. */
export const answerBytes = (value: unknown): number => textBytes(JSON.stringify(value));

/** Whether Lambda cannot return a body. Measured only where that is possible, because it takes a copy of the body. */
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

  /** Add an item unless the answer is full; the first one always finds room. @returns whether it was added */
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
