import { readFileSync } from "node:fs";

/**
 * Shape of a JSON value in short form:
 * - its type for a scalar: `string`, `uuid`, `time`, `integer`, `number`, `boolean`, or `any`
 * - `=a|b` for a string from a fixed set; a content type for a body that is not JSON
 * - `[shape]` for an array
 * - fields for an object; one that may be absent ends in `?`, and `*` stands for all names not listed
 */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

/** An operation that clients rely on, with all versions in which it has this form. */
export interface PublishedOperation {
  readonly id: string;
  readonly versions: readonly number[];
  readonly method: string;
  readonly path: string;
  /** Query parameters, as the fields of an object. */
  readonly query?: Shape;
  /** Body as JSON or form fields. */
  readonly body?: Shape;
  /** Content types of the body in addition to JSON. */
  readonly bodyTypes?: readonly string[];
  /** Responses without a label, by status; null is an empty body. */
  readonly responses: Readonly<Record<string, Shape | null>>;
  /** Labels of error responses, by status. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** File with the published operations. */
export const interfaceFile = new URL("published-interface.json", import.meta.url);

/** Read the published operations of all imported versions. */
export const readPublishedInterface = (): PublishedOperation[] =>
  JSON.parse(readFileSync(interfaceFile, "utf8"));
