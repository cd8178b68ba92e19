import * as z from "zod";
import type { Outbox, RevocableMessage } from "#shared/platform/messaging/outbox.ts";

/** What the queue `conversation-jobs` carries. */
export const conversationJob = z.discriminatedUnion("job", [
  /** Removes what is stored of a deleted conversation. */
  z.object({
    job: z.literal("erase"),
    conversationId: z.uuid(),
    teamId: z.uuid().optional(),
    /** Its MLS group, if any. */
    groupId: z.string().optional(),
  }),
  /** Adds and removes members whom a commit has added and removed, and who did not fit into its transaction. */
  z.object({
    job: z.literal("follow-commit"),
    conversationId: z.uuid(),
    groupId: z.string(),
    /** Who has committed. */
    actor: z.object({ userId: z.uuid(), connectionId: z.string().optional() }),
    joining: z.array(z.uuid()),
    leaving: z.array(z.uuid()),
  }),
  /** Removes the members whom the access roles of a conversation no longer admit. */
  z.object({
    job: z.literal("remove-not-admitted"),
    conversationId: z.uuid(),
    /** Who has changed the access. */
    actor: z.object({ userId: z.uuid(), connectionId: z.string().optional() }),
  }),
  /** Removes the members of a group whom legal hold keeps apart, because one of them was about to come under it. */
  z.object({ job: z.literal("settle-legal-hold"), conversationId: z.uuid() }),
  /** Removes the members that were stored for a conversation that was never created. */
  z.object({ job: z.literal("undo-creation"), conversationId: z.uuid(), userIds: z.array(z.uuid()) }),
]);
export type ConversationJob = z.infer<typeof conversationJob>;

/**
 * Creates the message that starts a job. @param options.isHeld whether the job waits a minute, in which it can be
 * revoked
 */
export const orderConversationJob = (
  outbox: Outbox,
  job: ConversationJob,
  options?: { readonly isHeld: boolean },
): RevocableMessage => outbox.message("conversation-jobs", job, options);
