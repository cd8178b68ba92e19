import * as z from "zod";

/** Settings of teams. */
export const teamSettings = {
  /** Members of a team. */
  maxTeamSize: z.int().min(1).default(10_000),
  /** Members of a team up to which all of them get its events. */
  maxFanoutSize: z.int().min(1).max(2000).default(2000),
};
