import * as z from "zod";
import { qualifiedId } from "../schemas/primitives.ts";
import { defineEvent } from "./event.ts";

/** An account is deleted. */
export const userDelete = defineEvent({
  type: "user.delete",
  recipients: "contacts",
  schema: z.object({ id: z.uuid(), qualified_id: qualifiedId }),
});
