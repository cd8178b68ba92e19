import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";

/** A legal hold device is added for a user. */
export const userLegalholdEnable = defineEvent({
  type: "user.legalhold-enable",
  summary: "Legal hold begins for a user",
  recipients: "contacts-and-team",
  schema: z.object({ id: z.uuid().meta({ description: "Id of the user" }) }),
});
