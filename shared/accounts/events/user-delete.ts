import * as z from "zod";
import { defineEvent } from "#shared/events/event.ts";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";

/** An account is deleted. */
export const userDelete = defineEvent({
  type: "user.delete",
  summary: "An account is deleted",
  recipients: "contacts",
  schema: z.object({ id: z.uuid(), qualified_id: qualifiedId }),
});
