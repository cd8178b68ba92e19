import * as z from "zod";

/** Settings of teams. */
export const teamSettings = {
  /** Members of a team. */
  maxTeamSize: z.int().min(1).default(10_000),
  /** Members of a team up to which all of them get its events. */
  maxFanoutSize: z.int().min(1).max(2000).default(2000),
  /** Members of a deleted team that are read, told of the deletion, and deleted together. */
  concurrentDeletionEvents: z.int().min(1).max(1000).default(128),
};
