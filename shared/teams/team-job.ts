import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** Messages of the queue `team-jobs`: work on a team, which may take several messages. */
export const teamJob = z.discriminatedUnion("job", [
  storedObject({ job: z.literal("delete"), teamId: z.uuid() }),
  /** Aligns the status of the members' accounts with the team's. */
  storedObject({
    job: z.literal("align-members"),
    teamId: z.uuid(),
    /** The progress of an earlier message, and the change of status (Unix milliseconds) that it has seen. */
    progress: storedObject({ statusChangedAt: z.int(), after: z.uuid() }).optional(),
  }),
  /** Ends legal hold for all members of a team that is marked for it. */
  storedObject({ job: z.literal("end-legal-hold"), teamId: z.uuid() }),
  /** Brings connections and groups in line with a member's legal hold after it has begun or ended. */
  storedObject({
    job: z.literal("settle-legal-hold"),
    teamId: z.uuid(),
    userId: z.uuid(),
    /** The last group that an earlier message has settled. */
    afterGroup: z.uuid().optional(),
  }),
  /** The same for all members of a team, who consent once the operator has put the team on the list. */
  storedObject({
    job: z.literal("settle-legal-hold-of-all"),
    teamId: z.uuid(),
    /** The last member for whom an earlier message has done this. */
    after: z.uuid().optional(),
  }),
]);
export type TeamJob = z.infer<typeof teamJob>;

/** Creates the message that starts a job. */
export const orderTeamJob = (
  outbox: Outbox,
  job: TeamJob,
  options?: { readonly delaySeconds: number },
): OutboxMessage => outbox.message("team-jobs", job, options);
