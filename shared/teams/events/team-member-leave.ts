import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { utcTime } from "#shared/platform/http/wire-types.ts";

/** Somebody leaves a team, because the account is deleted. */
export const teamMemberLeave = defineEvent({
  type: "team.member-leave",
  summary: "Somebody leaves your team",
  recipients: "team",
  isTransient: true,
  schema: z.object({ team: z.uuid(), time: utcTime, data: z.object({ user: z.uuid() }) }),
});
