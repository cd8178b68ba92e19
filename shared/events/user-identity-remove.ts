import * as z from "zod";
import { defineEvent } from "./event.ts";

/** A verified address or number is taken off the account. */
export const userIdentityRemove = defineEvent({
  type: "user.identity-remove",
  recipients: "self",
  schema: z.object({
    user: z.object({ id: z.uuid(), email: z.string().optional(), phone: z.string().optional() }),
  }),
});
