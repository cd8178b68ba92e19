import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { selfProfile } from "../profiles/self-profile.ts";

/** A user becomes activated (interface section 6). */
export const userActivate = defineEvent({
  type: "user.activate",
  summary: "Your account is activated",
  recipients: "self",
  schema: z.object({ user: selfProfile }),
});
