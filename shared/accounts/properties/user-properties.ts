import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";

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
