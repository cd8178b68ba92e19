import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";

/** A verified address or number is removed from your account. */
export const userIdentityRemove = defineEvent({
  type: "user.identity-remove",
  summary: "A verified email address or phone number is removed from your account",
  recipients: "self",
  schema: z.object({
    user: z
      .object({ id: z.uuid(), email: z.string().optional(), phone: z.string().optional() })
      .meta({ description: "With the address or number that was removed" }),
  }),
});
