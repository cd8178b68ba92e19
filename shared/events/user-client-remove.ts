import * as z from "zod";
import { defineEvent } from "./event.ts";

/** A device is removed from an account. */
export const userClientRemove = defineEvent({
  type: "user.client-remove",
  recipients: "self",
  schema: z.object({ client: z.object({ id: z.string() }) }),
});
