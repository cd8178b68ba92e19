import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { utcTime } from "#shared/platform/http/wire-types.ts";

/** Somebody joins a team. The team's log keeps it for the members who get no event. */
export const teamMemberJoin = defineEvent({
  type: "team.member-join",
  summary: "Somebody joins your team",
  recipients: "team-admins",
  isTransient: true,
  skipsOrigin: false,
  schema: z.object({ team: z.uuid(), time: utcTime, data: z.object({ user: z.uuid() }) }),
});
