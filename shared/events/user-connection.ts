import * as z from "zod";
import { connection } from "../schemas/connection.ts";
import { defineEvent } from "./event.ts";

/** A side of a connection changes; `user.name` is the other user's, where that one acted. */
export const userConnection = defineEvent({
  type: "user.connection",
  recipients: "self",
  schema: z.object({ connection, user: z.object({ name: z.string() }).optional() }),
});
