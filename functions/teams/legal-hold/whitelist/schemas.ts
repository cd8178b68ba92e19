import * as z from "zod";
import { uuid } from "#shared/platform/http/wire-types.ts";

export const teamIds = z
  .array(uuid)
  .meta({ id: "LegalHoldTeams", description: "In the order of their ids, up to the requested number" });

export const pageQuery = z.object({
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(1000)
    .meta({ description: "Maximum number of teams to return" }),
  start: uuid.optional().meta({ description: "Id of the last team of the previous page" }),
});
