import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { utcTime } from "#shared/platform/http/wire-types.ts";

/** A team is deleted together with its members' accounts. */
export const teamDelete = defineEvent({
  type: "team.delete",
  summary: "Your team is deleted, and your account with it",
  recipients: "team",
  schema: z.object({ team: z.uuid(), time: utcTime, data: z.null() }),
});
