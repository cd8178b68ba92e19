import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { clientReference, nestedDeviceView } from "./device-view.ts";

/** A device is added to an account. Its capabilities keep the old shape for clients of every version. */
export const userClientAdd = defineEvent({
  type: "user.client-add",
  summary: "A device is added to your account",
  recipients: "self",
  schema: z.object({ client: nestedDeviceView }),
});

/** A device is removed from an account. */
export const userClientRemove = defineEvent({
  type: "user.client-remove",
  summary: "A device is removed from your account",
  recipients: "self",
  schema: z.object({ client: clientReference }),
});
