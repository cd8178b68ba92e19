import * as z from "zod";
import { clientWithNestedCapabilities } from "../schemas/client.ts";
import { defineEvent } from "./event.ts";

/** A device is added to an account. Its capabilities keep the old shape for clients of every version. */
export const userClientAdd = defineEvent({
  type: "user.client-add",
  recipients: "self",
  schema: z.object({ client: clientWithNestedCapabilities }),
});
