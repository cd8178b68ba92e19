import * as z from "zod";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";

/** What the queue `conversation-jobs` carries. */
export const conversationJob = z.discriminatedUnion("job", [
  /** Removes what is stored of a deleted conversation. */
  z.object({ job: z.literal("erase"), conversationId: z.uuid(), teamId: z.uuid().optional() }),
  /** Removes the members whom the access roles of a conversation do not allow to be in it. */
  z.object({
    job: z.literal("remove-not-admitted"),
    conversationId: z.uuid(),
    /** Who has changed the access. */
    actor: z.object({ userId: z.uuid(), connectionId: z.string().optional() }),
  }),
]);
export type ConversationJob = z.infer<typeof conversationJob>;

/** Creates the message that orders a job. */
export const orderConversationJob = (outbox: Outbox, job: ConversationJob): OutboxMessage =>
  outbox.message("conversation-jobs", job);
