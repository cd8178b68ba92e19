import * as z from "zod";
import { prekeyItem } from "#shared/devices/prekey.ts";
import { defineEvent } from "#shared/events/event.ts";

/** A legal hold device awaits a user's approval. */
export const userLegalholdRequest = defineEvent({
  type: "user.legalhold-request",
  summary: "An admin asks a user to approve a legal hold device",
  recipients: "contacts-and-team",
  schema: z.object({
    id: z.uuid().meta({ description: "Id of the user" }),
    last_prekey: prekeyItem,
    client: z.object({ id: z.string().meta({ description: "Id that the device will have" }) }),
  }),
});
