import * as z from "zod";
import type { NewestPage } from "#shared/platform/data/newest-first.ts";
import type { Deps } from "../deps.ts";
import { type teamPage, teamsByTime } from "./routes.ts";

/** List one page of the teams, the newest first. @see operation `i-list-teams` */
export async function listTeams({ teams }: Deps, page: NewestPage): Promise<z.input<typeof teamPage>> {
  const { teams: listed, last } = await teams.pageOfNewest(page);
  return {
    teams: listed.map(({ team, foundedAt }) => ({
      id: team.teamId,
      name: team.name,
      status: team.status,
      creator: team.creator,
      size: team.memberCount,
      created_at: foundedAt,
    })),
    ...(last !== undefined && { next: z.encode(teamsByTime.cursor, last) }),
  };
}
