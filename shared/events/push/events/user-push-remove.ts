import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { pushTokenView } from "../push-token-view.ts";

/** A push token is of no use any more. Only its device gets the event. */
export const userPushRemove = defineEvent({
  type: "user.push-remove",
  summary: "The push provider does not know your device's push token any more: register a new one",
  recipients: "self",
  schema: z.object({ token: pushTokenView }),
});
