import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { utcTime } from "#shared/platform/http/wire-types.ts";
import { teamView } from "../team-view.ts";

/** A team is founded. */
export const teamCreate = defineEvent({
  type: "team.create",
  summary: "You have founded a team",
  recipients: "self",
  schema: z.object({ team: z.uuid(), time: utcTime, data: teamView }),
});
