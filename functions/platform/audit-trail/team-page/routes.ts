import * as z from "zod";
import { teamPaths } from "#shared/accounts/team-pages/team-paths.ts";
import { teamPage } from "#shared/accounts/team-pages/team-routes.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { recordCursor } from "../schemas.ts";

/** The trail has files for years of four digits. */
const day = z.iso.date().refine((text) => text > "2000" && text < "9999", "out of range");

export const routes = defineRoutes({
  "get-team-audit-page": {
    ...teamPage,
    path: teamPaths.audit,
    audit: unaudited.trail,
    summary: "Show the page with the audit trail of a team",
    query: z.object({
      day: day.optional().meta({ description: "The day, in UTC; by default today" }),
      start: recordCursor.optional().meta({ description: "Where the page starts" }),
    }),
  },
});
