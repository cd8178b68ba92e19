import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";

/** A device is removed from an account. */
export const userClientRemove = defineEvent({
  type: "user.client-remove",
  summary: "A device is removed from your account",
  recipients: "self",
  schema: z.object({ client: z.object({ id: z.string().meta({ description: "Id of the device" }) }) }),
});
