import * as z from "zod";
import { defineEvent } from "./event.ts";

export const userPropertiesSet = defineEvent({
  type: "user.properties-set",
  recipients: "self",
  schema: z.object({ key: z.string(), value: z.unknown() }),
});

export const userPropertiesDelete = defineEvent({
  type: "user.properties-delete",
  recipients: "self",
  schema: z.object({ key: z.string() }),
});

export const userPropertiesClear = defineEvent({
  type: "user.properties-clear",
  recipients: "self",
  schema: z.object({}),
});
