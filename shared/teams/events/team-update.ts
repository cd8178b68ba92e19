import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { utcTime } from "#shared/platform/http/wire-types.ts";

const data = z.object({
  name: z.string().optional(),
  icon: z.string().optional(),
  icon_key: z.string().optional(),
  splash_screen: z.string().optional(),
});

/** A team changes. */
export const teamUpdate = defineEvent({
  type: "team.update",
  summary: "Your team changes; only the changed fields are present",
  recipients: "team-admins",
  isTransient: true,
  schema: z.object({ team: z.uuid(), time: utcTime, data }),
});
