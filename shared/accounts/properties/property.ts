import { createHash } from "node:crypto";
import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** A property without its value. */
const property = storedObject({
  key: z.string(),
  /** Size of the value in a function's response, see `textBytes`. */
  bytes: z.int(),
  /** Number of items that hold the value. */
  pieces: z.int(),
  /** Revision of the index that was written together with the value. */
  revision: z.int(),
});
export type Property = z.infer<typeof property>;

/** All properties of a user. Each change increments the revision, so that changes have an order. */
export const propertyIndex = storedItem(
  { table: "properties", kind: "index", key: ["user#*", "index"], subject: { user: "partition" } },
  storedObject({
    userId: z.uuid(),
    revision: z.int(),
    properties: z.array(property),
  }),
);
export type PropertyIndex = Stored<typeof propertyIndex>;

/** A value, or a piece of a large one. */
export const valuePiece = storedItem(
  { table: "properties", kind: "value", key: ["user#*", "value#*"], subject: { user: "partition" } },
  storedObject({
    entry: z.string(),
    text: z.string(),
    /** Number of pieces that the value consists of. */
    pieces: z.int(),
    revision: z.int(),
  }),
);
export type ValuePiece = Stored<typeof valuePiece>;

/** Prefix of the sort keys of a value. Property keys are hashed, because they can be longer than a sort key. */
export const valuePrefix = (key: string) => `value#${createHash("sha256").update(key).digest("base64url")}#`;

/** A property is set. */
export const userPropertiesSet = defineEvent({
  type: "user.properties-set",
  summary: "A property is set",
  recipients: "self",
  schema: z.object({ key: z.string(), value: z.unknown() }),
});

/** A property is removed. */
export const userPropertiesDelete = defineEvent({
  type: "user.properties-delete",
  summary: "A property is removed",
  recipients: "self",
  schema: z.object({ key: z.string() }),
});

/** All properties are removed. */
export const userPropertiesClear = defineEvent({
  type: "user.properties-clear",
  summary: "All properties are removed",
  recipients: "self",
  schema: z.object({}),
});
