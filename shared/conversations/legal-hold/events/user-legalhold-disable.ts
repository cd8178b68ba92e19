import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";

/** A user has neither a legal hold device nor a request for one any more. */
export const userLegalholdDisable = defineEvent({
  type: "user.legalhold-disable",
  summary: "Legal hold ends for a user",
  recipients: "contacts-and-team",
  schema: z.object({ id: z.uuid().meta({ description: "Id of the user" }) }),
});
