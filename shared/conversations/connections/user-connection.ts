import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { named } from "../events/settings.ts";
import { connection } from "./connection-view.ts";

/** A side of a connection changes; `user.name` names the other user, if that user made the change. */
export const userConnection = defineEvent({
  type: "user.connection",
  summary: "Your side of a connection changes",
  recipients: "self",
  isPushed: ({ connection: { status } }) => status === "pending" || status === "accepted",
  schema: z.object({
    connection,
    user: named.optional().meta({ description: "The other user, if that user made the change" }),
  }),
});
