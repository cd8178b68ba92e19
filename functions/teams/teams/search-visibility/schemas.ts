import * as z from "zod";
import { searchVisibility } from "#shared/teams/team.ts";

export const visibility = z
  .object({
    search_visibility: searchVisibility.meta({
      description:
        "`standard`: also users outside the team; `no-name-outside-team`: those by exact handle only",
    }),
  })
  .meta({ id: "TeamSearchVisibilityView", examples: [{ search_visibility: "no-name-outside-team" }] });
