import * as z from "zod";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** What the queue `team-jobs` carries: work on a team, in as many parts as it takes. */
export const teamJob = z.discriminatedUnion("job", [
  z.object({ job: z.literal("delete"), teamId: z.uuid() }),
  /** Gives the members' accounts the status that the team's asks for. */
  z.object({
    job: z.literal("align-members"),
    teamId: z.uuid(),
    /** How far an earlier message has come, and the change of status (unix milliseconds) that it has seen. */
    progress: z.object({ statusChangedAt: z.int(), after: z.uuid() }).optional(),
  }),
  /** Ends legal hold for all members of a team for which that has been marked. */
  z.object({ job: z.literal("end-legal-hold"), teamId: z.uuid() }),
  /** Brings connections and groups in line with a member's legal hold, which has begun or ended. */
  z.object({
    job: z.literal("settle-legal-hold"),
    teamId: z.uuid(),
    userId: z.uuid(),
    /** The last group with which an earlier message has been done. */
    afterGroup: z.uuid().optional(),
  }),
  /** The same for all members of a team, who consent since the operator has put the team on the list. */
  z.object({
    job: z.literal("settle-legal-hold-of-all"),
    teamId: z.uuid(),
    /** The last member with whom an earlier message has been done. */
    after: z.uuid().optional(),
  }),
]);
export type TeamJob = z.infer<typeof teamJob>;

/** Creates the message that orders a job. */
export const orderTeamJob = (
  outbox: Outbox,
  job: TeamJob,
  options?: { readonly delaySeconds: number },
): OutboxMessage => outbox.message("team-jobs", job, options);
