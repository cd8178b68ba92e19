import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import type { Outbox, OutboxMessage, RevocableMessage } from "#shared/platform/messaging/outbox.ts";
import { type Conversation, isMls } from "./conversation.ts";
import { type ConversationMember, isBot } from "./conversation-member.ts";

/**
 * Whether this is the second look at groups, for devices added by commits that had read users and devices before they
 * left.
 */
const isSecondLook = z.literal(true).optional();

/** Messages of the queue `conversation-jobs`. */
export const conversationJob = z.discriminatedUnion("job", [
  /** Removes the remaining items of a deleted conversation. */
  storedObject({
    job: z.literal("erase"),
    conversationId: z.uuid(),
    teamId: z.uuid().optional(),
    /** Its MLS group, if any. */
    groupId: z.string().optional(),
  }),
  /** Adds and removes members whom a commit has added and removed, and who did not fit into its transaction. */
  storedObject({
    job: z.literal("follow-commit"),
    conversationId: z.uuid(),
    groupId: z.string(),
    /** The user who has committed. */
    actor: storedObject({ userId: z.uuid(), connectionId: z.string().optional() }),
    joining: z.array(z.uuid()),
    leaving: z.array(z.uuid()),
    /** In base64; the devices of joining users get it once the users are members. */
    welcome: z.string().optional(),
  }),
  /** Removes the items of an MLS group that was reset. */
  storedObject({ job: z.literal("erase-group"), groupId: z.string() }),
  /**
   * Proposes to the MLS groups of a conversation and its subconversations to remove devices: those of the named users
   * unless they are members, the named one, deleted ones, those that have left by themselves, and those whose removal
   * an external commit has left open.
   */
  storedObject({
    job: z.literal("propose-removals"),
    conversationId: z.uuid(),
    /** Only for the group of this subconversation. */
    subconversationId: z.string().optional(),
    /** Not for the group of the conversation itself: after a block between two users, the devices stay there. */
    onlySubconversations: z.literal(true).optional(),
    /** Absent: all users who are not members. */
    userIds: z.array(z.uuid()).optional(),
    device: storedObject({ userId: z.uuid(), clientId: z.string() }).optional(),
    /** Users whose devices in the group may have been deleted while the users were not members. */
    lostDevicesOf: z.array(z.uuid()).optional(),
    isSecondLook,
    /** Apparent sender of the proposals; absent: the users themselves. */
    from: z.uuid().optional(),
    /** The subconversation after which to go on. */
    after: z.string().optional(),
  }),
  /** Proposes the removal of a deleted device to all groups of its user. */
  storedObject({
    job: z.literal("remove-device"),
    userId: z.uuid(),
    clientId: z.string(),
    /** The conversation after which to go on. */
    after: z.uuid().optional(),
    /** The conversation in progress, and its subconversation after which to go on. */
    begun: storedObject({ conversationId: z.uuid(), after: z.string().optional() }).optional(),
    isSecondLook,
  }),
  /** Removes the bots of a conversation that has no users left, or cannot have bots. */
  storedObject({ job: z.literal("remove-bots"), conversationId: z.uuid() }),
  /** Removes the members whom the access roles of a conversation no longer admit. */
  storedObject({
    job: z.literal("remove-not-admitted"),
    conversationId: z.uuid(),
    /** The user who has changed the access. */
    actor: storedObject({ userId: z.uuid(), connectionId: z.string().optional() }),
  }),
  /** Removes the members of a group whom legal hold keeps apart, because one of them was about to come under it. */
  storedObject({ job: z.literal("settle-legal-hold"), conversationId: z.uuid() }),
  /** Removes the members that were stored for a conversation that was never created. */
  storedObject({ job: z.literal("undo-creation"), conversationId: z.uuid(), userIds: z.array(z.uuid()) }),
]);
export type ConversationJob = z.infer<typeof conversationJob>;

/** Longer than any request takes. */
const secondLookSeconds = 60;

/**
 * Creates the message that starts a job.
 * @param options.isDeferred whether the job waits a minute, in which it can be revoked
 */
export const orderConversationJob = (
  outbox: Outbox,
  job: ConversationJob,
  options?: { readonly isDeferred: boolean },
): RevocableMessage => outbox.message("conversation-jobs", job, options);

/** Creates the message that repeats a job after a minute. */
export const orderSecondLook = (
  outbox: Outbox,
  job: Extract<ConversationJob, { job: "propose-removals" | "remove-device" }>,
): OutboxMessage =>
  outbox.message("conversation-jobs", { ...job, isSecondLook: true }, { delaySeconds: secondLookSeconds });

/**
 * Create the job that proposes to the MLS groups of a conversation and its subconversations to remove the devices of
 * users who are leaving, if there may be such groups. It runs after the change, and again a minute later: a commit may
 * be under way.
 */
export const orderRemovalProposals = (
  outbox: Outbox,
  { conversationId, group }: Pick<Conversation, "conversationId" | "group">,
  userIds?: readonly string[],
): OutboxMessage[] =>
  group === undefined || userIds?.length === 0
    ? []
    : [
        orderConversationJob(outbox, {
          job: "propose-removals",
          conversationId,
          ...(userIds !== undefined && { userIds: [...userIds] }),
        }),
      ];

/**
 * Create the jobs for members who are leaving: those of `orderRemovalProposals`, and the one that removes the bots of a
 * conversation that no user is left in.
 * @param who.members of the conversation before the change
 */
export const orderDepartureJobs = (
  outbox: Outbox,
  conversation: Pick<Conversation, "conversationId" | "group" | "protocol">,
  {
    members,
    leaving,
  }: {
    readonly members: readonly Pick<ConversationMember, "userId" | "service">[];
    readonly leaving: readonly string[];
  },
): OutboxMessage[] => [
  ...orderRemovalProposals(outbox, conversation, leaving),
  ...orderBotRemoval(
    outbox,
    conversation,
    members.filter(({ userId }) => !leaving.includes(userId)),
  ),
];

/** Create the job that removes the bots of a conversation, if there are any and they cannot stay. */
export function orderBotRemoval(
  outbox: Outbox,
  conversation: Pick<Conversation, "conversationId" | "protocol">,
  members: readonly Pick<ConversationMember, "service">[],
): OutboxMessage[] {
  const { conversationId } = conversation;
  const hasBots = members.some(isBot);
  return hasBots && !canHaveBots(conversation, members)
    ? [orderConversationJob(outbox, { job: "remove-bots", conversationId })]
    : [];
}

/** Whether bots may be in a conversation: they do not know MLS, and do not stay without users. */
export const canHaveBots = (
  conversation: Pick<Conversation, "protocol">,
  members: readonly Pick<ConversationMember, "service">[],
): boolean => !isMls(conversation) && !members.every(isBot);
