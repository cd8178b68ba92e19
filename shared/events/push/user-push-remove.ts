import * as z from "zod";
import { defineEvent } from "../event.ts";
import { pushTokenView } from "./push-token-view.ts";

/** A push token has become useless. Only its device gets the event. */
export const userPushRemove = defineEvent({
  type: "user.push-remove",
  summary: "The push provider no longer accepts your device's push token: register a new one",
  recipients: "self",
  schema: z.object({ token: pushTokenView }),
});
