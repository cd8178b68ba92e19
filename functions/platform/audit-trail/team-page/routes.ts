import * as z from "zod";
import { teamPaths } from "#shared/accounts/team-pages/layout.ts";
import { teamPage } from "#shared/accounts/team-pages/team-routes.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { recordCursor } from "../cursors.ts";

export const routes = defineRoutes({
  "get-team-audit-page": {
    ...teamPage,
    path: teamPaths.audit,
    audit: unaudited.trail,
    summary: "Show the page with the audit trail of a team",
    query: z.object({
      day: z.iso.date().optional().meta({ description: "The day, in UTC; by default today" }),
      start: recordCursor.optional().meta({ description: "Where the page starts" }),
    }),
  },
});
