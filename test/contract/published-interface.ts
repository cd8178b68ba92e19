import { readFileSync } from "node:fs";

/**
 * Shape of a JSON value in short form:
 * - a word for a scalar: `string`, `uuid`, `time`, `integer`, `number`, `boolean`, or `any`
 * - `=a|b` for a text out of few; a word with a slash for a body that is not JSON, by its content type
 * - `[shape]` for an array
 * - fields for an object; one that may be absent ends in `?`, and `*` stands for all names not listed
 */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

/** One operation that clients are written against, in every version in which it looks like this. */
export interface PublishedOperation {
  readonly id: string;
  readonly versions: readonly number[];
  readonly method: string;
  readonly path: string;
  /** Query parameters, as the fields of an object. */
  readonly query?: Shape;
  /** Body as JSON or form fields. */
  readonly body?: Shape;
  /** Content types of the body apart from JSON. */
  readonly bodyTypes?: readonly string[];
  /** Answers without a label by status; null is an empty body. */
  readonly responses: Readonly<Record<string, Shape | null>>;
  /** Labels of the answers that carry one, by status. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

export const interfaceFile = new URL("published-interface.json", import.meta.url);

/** The published operations of all imported versions. */
export const readPublishedInterface = (): PublishedOperation[] =>
  JSON.parse(readFileSync(interfaceFile, "utf8"));
