import { createHash } from "node:crypto";
import * as z from "zod";

/** What is known of a property without its value. */
const property = z.object({
  key: z.string(),
  /** Size of the value in the answer of a function, see `answerBytes`. */
  bytes: z.int(),
  /** Items that the value takes. */
  pieces: z.int(),
  /** Of the index that came with the value. */
  revision: z.int(),
});
export type Property = z.infer<typeof property>;

/** All properties of a user. Each change has a revision of its own, so that changes are in one order. */
export const propertyIndex = z.object({
  userId: z.uuid(),
  revision: z.int(),
  properties: z.array(property),
});
export type PropertyIndex = z.infer<typeof propertyIndex>;

/** A value, or a part of a large one. */
export const valuePiece = z.object({
  entry: z.string(),
  text: z.string(),
  /** That the value has in all. */
  pieces: z.int(),
  revision: z.int(),
});
export type ValuePiece = z.infer<typeof valuePiece>;

/** Size of JSON in the answer of a function, where a body is a text within JSON. */
export const answerBytes = (json: string) => Buffer.byteLength(JSON.stringify(json));

/** Begins the sort keys of a value; a key itself can be longer than a sort key. */
export const valuePrefix = (key: string) => `value#${createHash("sha256").update(key).digest("base64url")}#`;
