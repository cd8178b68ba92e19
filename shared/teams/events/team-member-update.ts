import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { utcTime } from "#shared/platform/http/wire-types.ts";
import { permissionSet } from "../permissions.ts";

/** A member's permissions change. */
export const teamMemberUpdate = defineEvent({
  type: "team.member-update",
  summary: "The permissions of a member of your team change",
  recipients: "team-admins",
  isTransient: true,
  schema: z.object({
    team: z.uuid(),
    time: utcTime,
    data: z.object({ user: z.uuid(), permissions: permissionSet }),
  }),
});
