import * as z from "zod";
import { selfProfile } from "../schemas/self-profile.ts";
import { defineEvent } from "./event.ts";

/** A user becomes activated (interface section 6). */
export const userActivate = defineEvent({
  type: "user.activate",
  recipients: "self",
  schema: z.object({ user: selfProfile }),
});
