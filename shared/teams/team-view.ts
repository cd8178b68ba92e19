import * as z from "zod";
import { uuid } from "#shared/platform/http/wire-types.ts";
import type { Team } from "./team.ts";

const icon = z.string().meta({ description: "Key of an uploaded asset, or `default`" });

/** A team as its members see it. */
export const teamView = z
  .object({
    id: uuid,
    creator: uuid.meta({ description: "Who founded the team" }),
    name: z.string(),
    icon,
    icon_key: z.string().nullable(),
    splash_screen: icon,
    binding: z.literal(true).meta({ deprecated: true }),
  })
  .meta({ id: "Team" });

export const toTeamView = ({
  teamId,
  creator,
  name,
  icon,
  iconKey,
  splashScreen,
}: Pick<Team, "teamId" | "creator" | "name" | "icon" | "iconKey" | "splashScreen">): z.input<
  typeof teamView
> => ({
  id: teamId,
  creator,
  name,
  icon,
  icon_key: iconKey ?? null,
  splash_screen: splashScreen,
  binding: true,
});
